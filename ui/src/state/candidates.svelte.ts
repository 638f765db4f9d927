// The leftovers of one group, page by page: two hundred thousand of them are neither asked for nor kept
// at once.

import type { CandidateView } from '../bindings/CandidateView';
import * as ipc from '../ipc';

/** How many are asked for at once. */
const PAGE = 200;
/** How many pages are kept. */
const KEPT = 40;
/** More than this is no choice by hand any more. */
export const HAND = 5000;

/** A group that is looked into, and what is searched in it. */
export class Candidates {
  readonly group: string;
  search = $state('');
  /** How many match; none before the first answer. */
  total = $state<number | null>(null);
  failure = $state<string | null>(null);

  #pages = $state.raw<ReadonlyMap<number, readonly CandidateView[]>>(new Map());
  #asked = new Set<number>();
  /** Counts searches: the answer to an older one comes too late. */
  #turn = 0;

  constructor(group: string) {
    this.group = group;
    void this.#ask(0);
  }

  /** The one at a place; none while it is on its way. */
  at(place: number): CandidateView | null {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE] ?? null;
  }

  /** Asks for those that are drawn, unless they are there. */
  want(places: readonly number[]): void {
    if (this.failure !== null) return;
    for (const page of new Set(places.map((place) => Math.floor(place / PAGE)))) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) void this.#ask(page);
    }
  }

  /** Searches anew. */
  find(search: string): void {
    if (search === this.search) return;
    this.search = search;
    this.again();
  }

  /** Asks from the beginning: another search, or one that failed. */
  again(): void {
    this.#turn += 1;
    this.#asked.clear();
    this.failure = null;
    void this.#ask(0, true);
  }

  /** Those from a place to before another, however far apart, as far as a hand reaches. */
  async range(from: number, to: number): Promise<CandidateView[]> {
    const turn = this.#turn;
    const end = Math.min(to, from + HAND, this.total ?? 0);
    const all: CandidateView[] = [];
    while (from + all.length < end) {
      const { candidates } = await ipc.leftoverCandidates(this.group, this.search, from + all.length, Math.min(PAGE * 5, end - from - all.length));
      if (turn !== this.#turn || candidates.length === 0) break;
      all.push(...candidates);
    }
    return turn === this.#turn ? all : [];
  }

  async #ask(page: number, anew = false): Promise<void> {
    const turn = this.#turn;
    this.#asked.add(page);
    try {
      const { candidates, total } = await ipc.leftoverCandidates(this.group, this.search, page * PAGE, PAGE);
      if (turn !== this.#turn) return;
      const pages = new Map(anew ? [] : this.#pages);
      pages.set(page, candidates);
      for (const old of pages.keys()) {
        if (pages.size <= KEPT) break;
        if (old !== page) pages.delete(old);
      }
      this.#pages = pages;
      this.total = total;
    } catch (error) {
      if (turn === this.#turn) this.failure = ipc.reason(error);
    } finally {
      if (turn === this.#turn) this.#asked.delete(page);
    }
  }
}

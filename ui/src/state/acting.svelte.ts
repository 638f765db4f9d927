// The act that runs, the one that ended last, what is parked, and what is on record. All of it is
// Rust's: a window that is opened in the middle of an act draws the same as one that saw it begin.
//
// Plans, copies and acts are ids that Rust gave; nothing here knows a path.

import type { ActKind } from '../bindings/ActKind';
import type { ActPreview } from '../bindings/ActPreview';
import type { ActProgress } from '../bindings/ActProgress';
import type { ActReceipt } from '../bindings/ActReceipt';
import type { Acts } from '../bindings/Acts';
import type { EntryView } from '../bindings/EntryView';
import type { Scope } from '../bindings/Scope';
import * as ipc from '../ipc';
import { type Seen, seen } from './seen';

/** What was pressed. */
export interface Plan {
  id: string;
  kind: ActKind;
  scope: Scope;
}

/** Why what was pressed was not begun. */
export interface Trouble {
  plan: Plan;
  /** Rust's words. */
  text: string;
  /** What was read is not true any more. */
  changed: boolean;
}

const NONE: readonly ActProgress[] = [];

/** Acts, as last told. */
export class Acting {
  /** None before the first answer. */
  acts = $state.raw<Acts | null>(null);
  /** Why there is none. */
  failure = $state<string | null>(null);
  /** What is on record, newest first; none before the first answer. */
  entries = $state.raw<readonly EntryView[] | null>(null);
  entriesFailure = $state<string | null>(null);
  /** Pressed, and not yet heard of. */
  pressed = $state.raw<Plan | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  /** Somebody asked to stop the act of this id. */
  stopping = $state<string | null>(null);
  /** Changes when an act ends or what is parked does: what was read before may not be true any more. */
  settled = $state(0);

  #closed = $state.raw<Seen>(seen.load());
  #plan: Plan | null = null;
  #asking = false;
  #again = false;
  #stops: (() => void)[] = [];

  /** Every step of the act that runs. */
  readonly running: readonly ActProgress[] = $derived(this.acts?.running ?? NONE);
  readonly id: string | null = $derived(this.running[0]?.id ?? null);
  /** Something runs or is about to. */
  readonly busy: boolean = $derived(this.id !== null || this.pressed !== null);
  /** What the running act is, as far as it is known yet. */
  readonly doing: Pick<Plan, 'kind' | 'scope'> | null = $derived(
    this.id === null ? this.pressed : (this.entries?.find(({ id }) => id === this.id) ?? (this.#plan?.id === this.id ? this.#plan : null)),
  );
  /** Cut off and not put right yet. What another process has under way is not: it is `begun`. */
  readonly unresolved: EntryView | null = $derived(
    this.busy ? null : (this.entries?.find(({ state, ended_at }) => state === 'interrupted' && ended_at === null) ?? null),
  );
  /** The end of the last act, as long as nobody closed it. */
  readonly ended: ActReceipt | null = $derived.by(() => {
    const last = this.acts?.last ?? null;
    return this.busy || last === null || this.#closed === last.id ? null : last;
  });

  /** Starts listening, then asks: what happens in between is never missed. */
  async start(): Promise<void> {
    try {
      this.#stops.push(await ipc.onActs((acts) => this.#take(acts)));
      this.#take(await ipc.acts());
    } catch (error) {
      if (this.acts === null) this.failure = ipc.reason(error);
    }
  }

  /** Stops listening. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Asks again after a failure. */
  async retry(): Promise<void> {
    this.stop();
    this.failure = null;
    await this.start();
  }

  /** Begins what was read. */
  async apply({ id, kind, scope }: ActPreview): Promise<void> {
    if (this.busy || id === '') return;
    const plan = { id, kind, scope };
    this.#plan = plan;
    this.pressed = plan;
    this.trouble = null;
    try {
      await ipc.applyPlan(id);
      // An act may be over before its first step was told.
      if (this.pressed === plan) this.#take(await ipc.acts());
    } catch (error) {
      if (this.pressed === plan) this.pressed = null;
      this.trouble = { plan, text: ipc.reason(error), changed: false };
      this.settled += 1;
    }
  }

  /** Stops the act that runs; nothing has moved until then. */
  async cancel(): Promise<void> {
    this.stopping = this.id;
    try {
      await ipc.cancelAct();
    } catch {
      // What cannot be stopped any more goes on, and is seen to.
      this.stopping = null;
    }
  }

  /** Takes the end of an act away, once read; it stays on record. */
  close(id: string): void {
    this.#closed = id;
    seen.save(id);
  }

  /** Takes the trouble away, once read. */
  dismiss(): void {
    this.trouble = null;
  }

  #take(acts: Acts): void {
    const before = this.acts;
    this.acts = acts;
    this.failure = null;
    const id = acts.running[0]?.id ?? null;
    const { last } = acts;
    const over = last !== null && last.ended_at !== before?.last?.ended_at;
    if (this.pressed !== null && (id === this.pressed.id || last?.id === this.pressed.id)) this.pressed = null;
    if (id !== this.stopping) this.stopping = null;
    const changed = last?.end === 'refused' ? last.refusals.find(({ reason }) => reason === 'changed') : undefined;
    if (last !== null && over && changed !== undefined && this.#plan?.id === last.id) {
      // What was read is read again; there is nothing else to tell.
      this.trouble = { plan: this.#plan, text: changed.text, changed: true };
      this.close(last.id);
    }
    const parked = (of: Acts | null) => of?.parked.map(({ id, state, verified }) => `${id} ${state} ${verified}`).join();
    if (before !== null && (over || (id === null && before.running.length > 0) || parked(before) !== parked(acts))) this.settled += 1;
    // The record tells what an act is, and whether one was cut off.
    if (id === null || !(this.entries ?? []).some((entry) => entry.id === id)) void this.#record();
  }

  /** One question at a time; what is wanted meanwhile is asked once, afterwards. */
  async #record(): Promise<void> {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#again) {
      this.#again = false;
      try {
        const entries = await ipc.activity();
        this.entries = entries.toSorted((a, b) => b.begun_at - a.begun_at);
        this.entriesFailure = null;
      } catch (error) {
        this.entriesFailure = ipc.reason(error);
      }
    }
    this.#asking = false;
  }
}

// What leftovers there are, what of them is chosen, and what cleaning it would do. Lives as long as the
// window, so that neither a long look nor a choice is lost by a look at another panel.
//
// Groups, candidates and clean-ups are ids that Rust gave; nothing here knows a path.

import type { CandidateView } from '../bindings/CandidateView';
import type { ClassView } from '../bindings/ClassView';
import type { CleanPreview } from '../bindings/CleanPreview';
import type { LeftoversView } from '../bindings/LeftoversView';
import type { Time } from '../bindings/Time';
import * as ipc from '../ipc';
import { Candidates } from './candidates.svelte';
import { Cleaning } from './cleaning.svelte';

/** Seconds after which what was seen is looked for again, where nobody is choosing. */
const OLD = 600;

/** A candidate chosen by hand, with its group. */
interface Picked {
  group: string;
  allocated: number;
}

const NOTHING: ReadonlyMap<string, Picked> = new Map();

/** All unused ones of a group may be chosen at once. */
export const whole = ({ tier, removable, dead }: ClassView) => removable && dead > 0 && tier !== 'report';

/** What goes without being asked for: proven unused and worth nothing. */
export const proposed = (group: ClassView) => group.tier === 'automatic' && whole(group);

/** Leftovers, as last looked for. */
export class Leftovers {
  /** None before the first answer. */
  view = $state.raw<LeftoversView | null>(null);
  reading = $state(false);
  /** Names seen by the look that runs. */
  seen = $state(0);
  /** Rust's words for why they could not be looked for. */
  failure = $state<string | null>(null);
  /** The group that is looked into. */
  inside = $state.raw<Candidates | null>(null);
  /** Groups the user chose; none while the proposal stands. */
  #groups = $state.raw<ReadonlySet<string> | null>(null);
  #picked = $state.raw<ReadonlyMap<string, Picked>>(NOTHING);

  /** The clean-up that is being read; none while the list is shown. */
  asked = $state(false);
  preview = $state.raw<CleanPreview | null>(null);
  previewing = $state(false);
  previewFailure = $state<string | null>(null);
  forGood = $state(false);
  /** The user knows that it cannot come back. */
  consent = $state(false);

  readonly cleaning = new Cleaning();

  #wanted = 0;
  /** The clean-ups that had ended when it was last looked. */
  #looked = 0;
  #stops: (() => void)[] = [];

  /** Groups of which all unused ones are chosen. */
  readonly groups: readonly ClassView[] = $derived.by(() => {
    const all = this.view?.classes ?? [];
    const chosen = this.#groups;
    return chosen === null ? all.filter(proposed) : all.filter((group) => whole(group) && chosen.has(group.id));
  });
  readonly picked: ReadonlyMap<string, Picked> = $derived(this.#picked);
  /** The choice is not what was proposed. */
  readonly own: boolean = $derived.by(() => {
    const proposal = (this.view?.classes ?? []).filter(proposed);
    return this.#picked.size > 0 || proposal.length !== this.groups.length || proposal.some(({ id }) => !this.has(id));
  });
  readonly count: number = $derived(this.groups.reduce((sum, { dead }) => sum + dead, 0) + this.#picked.size);
  readonly allocated: number = $derived(
    this.groups.reduce((sum, { dead_allocated }) => sum + dead_allocated, 0) + [...this.#picked.values()].reduce((sum, { allocated }) => sum + allocated, 0),
  );
  /** Some of what is shown may be parked, so that there are two ways. */
  readonly parks: boolean = $derived(this.preview?.parts.some(({ parks, tier, count }) => count > 0 && (parks || (this.forGood && tier !== 'automatic'))) ?? false);
  /** What is shown is what would be done, and everything was consented to. */
  readonly ready: boolean = $derived(
    this.preview !== null && !this.previewing && this.previewFailure === null && this.preview.refusals.length === 0 && this.preview.id !== '' && (!this.forGood || !this.parks || this.consent),
  );

  /** Listens for progress and for clean-ups. */
  async start(): Promise<void> {
    await this.cleaning.start();
    try {
      this.#stops.push(
        await ipc.onLeftoversProgress(({ seen }) => {
          if (this.reading) this.seen = seen;
        }),
      );
    } catch {
      // Without it a look only does not say how far it is.
    }
  }

  /** Stops listening. */
  stop(): void {
    this.cleaning.stop();
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Somebody comes to look: what is old is looked for again, unless it is being chosen from. */
  async show(now: Time): Promise<void> {
    if (this.reading || this.failure !== null || this.cleaning.busy) return;
    const cleaned = this.#looked !== this.cleaning.settled;
    if (this.view === null || cleaned || (now - this.view.at > OLD && !this.own && this.inside === null && !this.asked)) await this.look();
  }

  /** Looks for leftovers. */
  async look(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    this.seen = 0;
    this.failure = null;
    this.#looked = this.cleaning.settled;
    try {
      const view = await ipc.leftovers();
      this.view = view;
      // Candidates are only good for the look they came from.
      this.#picked = NOTHING;
      if (this.inside !== null) this.inside = view.classes.some(({ id }) => id === this.inside?.group) ? new Candidates(this.inside.group) : null;
    } catch (error) {
      this.failure = ipc.reason(error);
    }
    this.reading = false;
  }

  /** Looks into a group, or no longer. */
  open(group: string): void {
    this.inside = this.inside?.group === group ? null : new Candidates(group);
  }

  /** All unused ones of a group are chosen. */
  has(group: string): boolean {
    return this.groups.some(({ id }) => id === group);
  }

  /** Chooses all unused ones of a group, or no longer. */
  choose(group: string, chosen: boolean): void {
    const next = new Set(this.groups.map(({ id }) => id));
    if (chosen) next.add(group);
    else next.delete(group);
    this.#groups = next;
    // Single ones are part of all, and gone with none.
    this.#picked = new Map([...this.#picked].filter(([, one]) => one.group !== group));
  }

  /** Chooses single ones of a group, or no longer. */
  pick(group: string, candidates: readonly CandidateView[], chosen: boolean): void {
    const next = new Map(this.#picked);
    for (const { id, allocated } of candidates) {
      if (chosen) next.set(id, { group, allocated });
      else next.delete(id);
    }
    this.#picked = next;
  }

  /** How many single ones of a group are chosen. */
  pickedOf(group: string): number {
    let count = 0;
    for (const one of this.#picked.values()) if (one.group === group) count += 1;
    return count;
  }

  /** Chooses what goes without being asked for. */
  propose(): void {
    this.#groups = null;
    this.#picked = NOTHING;
  }

  /** Chooses nothing. */
  clear(): void {
    this.#groups = new Set();
    this.#picked = NOTHING;
  }

  /** Asks what cleaning the choice would do. */
  async ask(forGood = false): Promise<void> {
    this.asked = true;
    this.forGood = forGood;
    this.consent = false;
    this.#wanted += 1;
    const mine = this.#wanted;
    this.previewing = true;
    this.previewFailure = null;
    try {
      const preview = await ipc.cleanView({ groups: this.groups.map(({ id }) => id), candidates: [...this.#picked.keys()], for_good: forGood });
      if (mine !== this.#wanted) return;
      this.preview = preview;
    } catch (error) {
      if (mine !== this.#wanted) return;
      this.preview = null;
      this.previewFailure = ipc.reason(error);
    }
    this.previewing = false;
  }

  /** Goes back to the list. */
  back(): void {
    this.#wanted += 1;
    this.asked = false;
    this.preview = null;
    this.previewing = false;
    this.previewFailure = null;
    this.cleaning.dismiss();
  }

  /** Does what was read; where it was not begun, it is read again. */
  async apply(): Promise<void> {
    const { preview } = this;
    if (preview === null || !this.ready) return;
    if (await this.cleaning.apply(preview)) {
      this.back();
      this.propose();
      this.inside = null;
    } else await this.ask(this.forGood);
  }
}

// What a reset would do, as last read, and how much of it was chosen. What may be pressed is what was
// read: while it is read again, or could not be, nothing may.

import type { ActPreview } from '../bindings/ActPreview';
import type { ActRefusal } from '../bindings/ActRefusal';
import type { ResetView } from '../bindings/ResetView';
import type { Scope } from '../bindings/Scope';
import * as ipc from '../ipc';

/** The preview of a reset, of one bundle at a time. */
export class Reset {
  view = $state.raw<ResetView | null>(null);
  reading = $state(false);
  /** Rust's words for why it could not be read. */
  failure = $state<string | null>(null);
  /** What the user chose; none while the recommendation stands. */
  scope = $state<Scope | null>(null);

  #bundle: string | null | undefined = undefined;
  #wanted = 0;

  /** True when what is shown is what would be done. */
  readonly fresh: boolean = $derived(this.view !== null && !this.reading && this.failure === null);
  /** Why nothing can be reset, however much: told once. */
  readonly blocked: readonly ActRefusal[] = $derived.by(() => {
    const [first, ...rest] = this.view?.plans ?? [];
    return first?.refusals.filter((one) => rest.every((plan) => plan.refusals.some((other) => same(one, other)))) ?? [];
  });
  /** The plan that is shown: chosen, or recommended and possible. */
  readonly plan: ActPreview | null = $derived.by(() => {
    const wanted = this.scope ?? this.view?.recommended ?? null;
    const plan = this.view?.plans.find(({ scope }) => scope === wanted) ?? null;
    return plan !== null && possible(plan) ? plan : null;
  });

  /** Reads it; the answer to an older question comes too late. */
  async read(bundle: string | null): Promise<void> {
    if (bundle !== this.#bundle) {
      this.#bundle = bundle;
      this.view = null;
      this.scope = null;
    }
    this.#wanted += 1;
    const mine = this.#wanted;
    this.reading = true;
    try {
      const view = await ipc.resetView(bundle);
      if (mine !== this.#wanted) return;
      this.view = view;
      this.failure = null;
    } catch (error) {
      if (mine !== this.#wanted) return;
      this.failure = ipc.reason(error);
    }
    this.reading = false;
  }

  /** Reads what is shown again. */
  again(): Promise<void> {
    return this.read(this.#bundle ?? null);
  }
}

/** It may be pressed. */
export const possible = (plan: ActPreview) => plan.refusals.length === 0 && plan.id !== '';

export const same = (a: ActRefusal, b: ActRefusal) => a.reason === b.reason && a.text === b.text;

// The parked copy that somebody wants to put back or to discard, and what that would do.

import type { ActPreview } from '../bindings/ActPreview';
import * as ipc from '../ipc';

export type Wish = 'restore' | 'discard';

/** One copy at a time, opened for one thing. */
export class Copy {
  id = $state<string | null>(null);
  wish = $state<Wish>('restore');
  /** Discard without the trash. */
  forGood = $state(false);
  /** The second consent: it cannot be undone. */
  consent = $state(false);
  preview = $state.raw<ActPreview | null>(null);
  reading = $state(false);
  /** Rust's words for why it could not be read. */
  failure = $state<string | null>(null);

  #wanted = 0;

  /** True when what is shown is what would be done, and everything was consented to. */
  readonly ready: boolean = $derived(
    this.preview !== null && !this.reading && this.failure === null && this.preview.refusals.length === 0 && this.preview.id !== '' && (this.wish !== 'discard' || !this.forGood || this.consent),
  );

  /** Opens a copy, or closes it where it is open for the same. */
  async open(id: string, wish: Wish): Promise<void> {
    this.id = id;
    this.wish = wish;
    this.forGood = false;
    await this.#read(true);
  }

  /** Chooses between the trash and for good; a consent holds only for what it was given for. */
  async choose(forGood: boolean): Promise<void> {
    this.forGood = forGood;
    await this.#read(true);
  }

  /** Reads it again: something changed. */
  async again(): Promise<void> {
    if (this.id !== null) await this.#read(false);
  }

  close(): void {
    this.#wanted += 1;
    this.id = null;
    this.preview = null;
    this.reading = false;
    this.failure = null;
    this.consent = false;
  }

  async #read(anew: boolean): Promise<void> {
    const { id } = this;
    if (id === null) return;
    this.#wanted += 1;
    const mine = this.#wanted;
    if (anew) this.preview = null;
    this.consent = false;
    this.reading = true;
    this.failure = null;
    try {
      const preview = await (this.wish === 'restore' ? ipc.restoreView(id) : ipc.discardView(id, this.forGood));
      if (mine !== this.#wanted) return;
      this.preview = preview;
    } catch (error) {
      if (mine !== this.#wanted) return;
      this.failure = ipc.reason(error);
    }
    this.reading = false;
  }
}

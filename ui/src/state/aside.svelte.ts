// The parked leftovers that somebody wants to put back or to discard, and what came of it. What stands
// aside is Rust's; this holds one wish at a time, by an id that Rust gave.

import * as ipc from '../ipc';
import type { Wish } from './copy.svelte';

/** One copy of leftovers at a time, opened for one thing. */
export class Aside {
  id = $state<string | null>(null);
  wish = $state<Wish>('restore');
  /** The user knows that it cannot be undone. */
  consent = $state(false);
  /** What is being done now, to the copy of `doing`. */
  doing = $state<string | null>(null);
  /** What became of the last one, in Rust's words, until somebody has read it. */
  said = $state<string | null>(null);
  /** Rust's words for why it was not done. */
  failure = $state<string | null>(null);

  readonly busy: boolean = $derived(this.doing !== null);
  /** What is shown may be done. */
  readonly ready: boolean = $derived(this.id !== null && !this.busy && (this.wish === 'restore' || this.consent));

  /** Opens a copy for one thing; a consent holds only for what it was given for. */
  open(id: string, wish: Wish): void {
    if (this.busy) return;
    this.id = id;
    this.wish = wish;
    this.consent = false;
    this.failure = null;
  }

  close(): void {
    this.id = null;
    this.consent = false;
    this.failure = null;
  }

  /** Takes what became of it away, once read. */
  dismiss(): void {
    this.said = null;
  }

  /** Does what is open. True where it was done. */
  async apply(): Promise<boolean> {
    const { id, wish } = this;
    if (id === null || !this.ready) return false;
    this.doing = id;
    this.said = null;
    this.failure = null;
    try {
      this.said = await (wish === 'restore' ? ipc.restoreLeftovers(id) : ipc.discardLeftovers(id));
      this.close();
      return true;
    } catch (error) {
      this.failure = ipc.reason(error);
      this.consent = false;
      return false;
    } finally {
      this.doing = null;
    }
  }
}

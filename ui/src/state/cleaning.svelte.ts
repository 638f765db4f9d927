// The clean-up that runs, the one that ended last, all on record, and what stands aside. All of it is
// Rust's: a window that is opened in the middle of a clean-up draws the same as one that saw it begin.

import type { Cleaning as Told } from '../bindings/Cleaning';
import type { CleanPreview } from '../bindings/CleanPreview';
import type { CleanProgress } from '../bindings/CleanProgress';
import type { CleanReceipt } from '../bindings/CleanReceipt';
import type { ParkedLeftovers } from '../bindings/ParkedLeftovers';
import * as ipc from '../ipc';
import { type Seen, seenClean } from './seen';

/** Cleaning, as last told. */
export class Cleaning {
  now = $state.raw<Told>({ running: null, last: null, parked: [] });
  /** What is on record, newest first; none before the first answer. */
  receipts = $state.raw<readonly CleanReceipt[] | null>(null);
  receiptsFailure = $state<string | null>(null);
  /** Pressed, and not yet heard of. */
  pressed = $state.raw<{ id: string; count: number } | null>(null);
  /** Why what was pressed was not begun, in Rust's words. */
  trouble = $state<string | null>(null);
  /** Somebody asked to stop the clean-up of this id. */
  stopping = $state<string | null>(null);
  /** Changes when a clean-up ends or what stands aside does: what was seen before may not be true any more. */
  settled = $state(0);
  /** A receipt that somebody wants to see again. */
  #wanted = $state<string | null>(null);

  #closed = $state.raw<Seen>(seenClean.load());
  #asking = false;
  #again = false;
  #stops: (() => void)[] = [];

  readonly parked: readonly ParkedLeftovers[] = $derived(this.now.parked);
  readonly running: CleanProgress | null = $derived(this.now.running);
  readonly busy: boolean = $derived(this.running !== null || this.pressed !== null);
  /** The end of the last clean-up, as long as nobody closed it. What the schedule did is told aside. */
  readonly ended: CleanReceipt | null = $derived.by(() => {
    const { last } = this.now;
    if (this.busy || last === null) return null;
    if (this.#wanted === last.id) return last;
    return last.by === 'schedule' || this.#closed === last.id ? null : last;
  });
  /** What the schedule did last, as long as nothing else was done after it. */
  readonly scheduled: CleanReceipt | null = $derived(this.now.last?.by === 'schedule' ? this.now.last : null);

  /** Starts listening, then asks: what happens in between is never missed. */
  async start(): Promise<void> {
    try {
      this.#stops.push(await ipc.onCleaning((now) => this.#take(now)));
      this.#take(await ipc.cleaning());
    } catch {
      // The panel's own question says what is wrong.
    }
  }

  /** Stops listening. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Begins what was read. True where it was begun. */
  async apply({ id, count }: CleanPreview): Promise<boolean> {
    if (this.busy || id === '') return false;
    const plan = { id, count };
    this.pressed = plan;
    this.trouble = null;
    try {
      await ipc.applyClean(id);
      // It may be over before its first step was told.
      if (this.pressed === plan) this.#take(await ipc.cleaning());
      return true;
    } catch (error) {
      if (this.pressed === plan) this.pressed = null;
      this.trouble = ipc.reason(error);
      return false;
    }
  }

  /** Stops the clean-up that runs; what has gone stays gone. */
  async cancel(): Promise<void> {
    this.stopping = this.running?.id ?? null;
    try {
      await ipc.cancelClean();
    } catch {
      // What cannot be stopped any more has ended, or goes on and is seen to.
      this.stopping = null;
    }
  }

  /** Takes the end of a clean-up away, once read; it stays on record. */
  close(id: string): void {
    this.#wanted = null;
    this.#closed = id;
    seenClean.save(id);
  }

  /** Shows the end of the last clean-up. */
  show(): void {
    this.#wanted = this.now.last?.id ?? null;
  }

  /** Reads what is on record: one question at a time; what is wanted meanwhile is asked once, afterwards. */
  async record(): Promise<void> {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#again) {
      this.#again = false;
      try {
        this.receipts = await ipc.cleanReceipts();
        this.receiptsFailure = null;
      } catch (error) {
        this.receiptsFailure = ipc.reason(error);
      }
    }
    this.#asking = false;
  }

  /** Takes the trouble away, once read. */
  dismiss(): void {
    this.trouble = null;
  }

  #take(now: Told): void {
    const before = this.now;
    this.now = now;
    const [id, last] = [now.running?.id ?? null, now.last];
    if (this.pressed !== null && (id === this.pressed.id || last?.id === this.pressed.id)) this.pressed = null;
    if (id !== this.stopping) this.stopping = null;
    const over = last !== null && (last.id !== before.last?.id || last.ended_at !== before.last.ended_at);
    const aside = ({ parked }: Told) => parked.map(({ id, count, state }) => `${id} ${count} ${state}`).join();
    if (over || aside(before) !== aside(now)) this.settled += 1;
  }
}

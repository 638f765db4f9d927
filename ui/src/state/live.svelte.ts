// What Rust said last. The window keeps no state of its own about the machine: a snapshot comes in,
// the old one goes.

import type { Lead } from '../bindings/Lead';
import type { History } from '../bindings/History';
import type { Range } from '../bindings/Range';
import type { Status } from '../bindings/Status';
import * as ipc from '../ipc';

/**
 * How often the time moves, in milliseconds. Nothing that is shown is finer than a minute, and each
 * change of a letter wakes WebKitGTK for half a second of frames: once a second, that was a twentieth
 * of a core.
 */
const TICK = 15_000;

/** The machine as last told, and what went wrong in asking. */
export class Live {
  status = $state.raw<Status | null>(null);
  /** Why there is no snapshot at all. */
  failure = $state<string | null>(null);
  history = $state.raw<History | null>(null);
  /** Why the chart is not up to date. */
  historyFailure = $state<string | null>(null);
  /** Why the last act did not happen. */
  actFailure = $state<string | null>(null);
  /** Seconds since 1970 on the machine's clock, which in a demo is not this computer's. */
  now = $state(0);

  /** The machine's clock minus this computer's, in seconds. */
  #ahead = 0;
  #wanted: Range | null = null;
  #asking = false;
  #again = false;
  #stops: (() => void)[] = [];

  /** Starts listening, then asks: a snapshot made in between is never missed. */
  async start(onFocus: (lead: Lead) => void): Promise<void> {
    try {
      this.#stops.push(
        ...(await Promise.all([ipc.onStatus((status) => this.#take(status)), ipc.onHistory(() => this.#refresh()), ipc.onFocus(onFocus)])),
      );
      this.#take(await ipc.status());
      const lead = await ipc.focus();
      if (lead !== null) onFocus(lead);
    } catch (error) {
      if (this.status === null) this.failure = ipc.reason(error);
    }
    const tick = setInterval(() => {
      if (!document.hidden) this.now = this.#clock();
    }, TICK);
    this.#stops.push(() => clearInterval(tick));
  }

  /** Counts seconds while something is waited for, until the returned function is called. */
  hurry(): () => void {
    const tick = setInterval(() => {
      if (!document.hidden) this.now = this.#clock();
    }, 1000);
    return () => clearInterval(tick);
  }

  /** Stops listening. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Asks again after a failure. */
  async retry(onFocus: (lead: Lead) => void): Promise<void> {
    this.stop();
    this.failure = null;
    await this.start(onFocus);
    if (this.#wanted !== null) this.#refresh();
  }

  /** Keeps the chart of this range up to date from now on. */
  chart(range: Range): void {
    this.#wanted = range;
    this.#refresh();
  }

  /** Does something whose effect arrives as a snapshot. */
  async act(trigger: () => Promise<unknown>): Promise<void> {
    this.actFailure = null;
    try {
      await trigger();
    } catch (error) {
      this.actFailure = ipc.reason(error);
    }
  }

  #take(status: Status): void {
    this.#ahead = status.at - Date.now() / 1000;
    this.now = status.at;
    this.status = status;
    this.failure = null;
  }

  #clock(): number {
    return this.status === null ? 0 : Math.round(Date.now() / 1000 + this.#ahead);
  }

  /** One question at a time; what is wanted meanwhile is asked once, afterwards. */
  async #refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    do {
      this.#again = false;
      const range = this.#wanted;
      if (range === null) break;
      try {
        const history = await ipc.history(range);
        if (range === this.#wanted) {
          this.history = history;
          this.historyFailure = null;
        }
      } catch (error) {
        this.historyFailure = ipc.reason(error);
      }
    } while (this.#again);
    this.#asking = false;
  }
}

// A rescue: what was chosen, how far it is, how it ended.

import type { DiskId } from '../bindings/DiskId';
import type { InsideEntry } from '../bindings/InsideEntry';
import type { RescueEnd } from '../bindings/RescueEnd';
import type { RescueProgress } from '../bindings/RescueProgress';
import * as ipc from '../ipc';

/** What is copied, for its words. */
export interface What {
  count: number;
  /** Session homes, not files or folders inside one. */
  sessions: boolean;
  /** Their blocks: about what will be written. */
  allocated: number;
  /** Names, themselves counted. */
  entries: number;
}

/** Copying out of a disk, one at a time. */
export class Rescue {
  what = $state.raw<What | null>(null);
  running = $state(false);
  /** None while the folder is being chosen. */
  progress = $state.raw<RescueProgress | null>(null);
  stopping = $state(false);
  end = $state.raw<RescueEnd | null>(null);
  /** Rust's words for what went wrong before anything was copied. */
  failure = $state<string | null>(null);

  #disk: DiskId | null = null;

  /** True where everything came out. */
  async run(disk: DiskId, sessions: boolean, entries: readonly InsideEntry[]): Promise<boolean> {
    if (this.running || entries.length === 0) return false;
    this.#disk = disk;
    this.what = weigh(sessions, entries);
    this.running = true;
    this.stopping = false;
    this.progress = null;
    this.close();
    try {
      this.end = await ipc.rescue(disk, entries.map(({ id }) => id));
    } catch (error) {
      this.failure = ipc.reason(error);
    }
    this.running = false;
    return this.end?.outcome === 'done' && this.end.receipt.complete && !this.end.receipt.cancelled;
  }

  /** Stops it; what came out stays. */
  async cancel(): Promise<void> {
    this.stopping = true;
    // What cannot be stopped has ended: its answer is on the way.
    await ipc.cancelRescue().catch(() => undefined);
  }

  /** Takes the result away, once read. */
  close(): void {
    this.end = null;
    this.failure = null;
  }

  take(progress: RescueProgress): void {
    if (this.running && progress.disk === this.#disk) this.progress = progress;
  }
}

export function weigh(sessions: boolean, entries: readonly InsideEntry[]): What {
  return {
    count: entries.length,
    sessions,
    allocated: entries.reduce((sum, { allocated }) => sum + allocated, 0),
    entries: entries.reduce((sum, { entries }) => sum + entries + 1, 0),
  };
}

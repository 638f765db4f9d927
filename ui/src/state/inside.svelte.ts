// What is known of a disk's inside, and the rescue that may run. Lives as long as the window, so that
// neither a long reading nor a choice is lost by a look at another panel.
//
// Disks, folders and entries are ids that Rust gave; nothing here knows a path.

import type { DiskId } from '../bindings/DiskId';
import type { InsideEntry } from '../bindings/InsideEntry';
import type { InsideView } from '../bindings/InsideView';
import * as ipc from '../ipc';
import { Rescue } from './rescue.svelte';

/** What went wrong, and where. */
export interface Trouble {
  /** What was tried: nothing was shown before, a folder was opened, or the same was read again. */
  of: 'first' | 'folder' | 'again';
  /** Rust's words. */
  text: string;
}

/** One disk's inside, one folder at a time. */
export class Inside {
  disk = $state<DiskId | null>(null);
  /** The folder as last read; none before the first answer. */
  view = $state.raw<InsideView | null>(null);
  reading = $state(false);
  /** Names seen by the reading that runs. */
  seen = $state(0);
  trouble = $state.raw<Trouble | null>(null);
  /** The last reading was stopped, and what is shown is from before it. */
  stopped = $state(false);
  /** Ids chosen in the folder that is shown. */
  chosen = $state.raw<ReadonlySet<string>>(new Set());
  readonly rescue = new Rescue();

  /** The reading whose answer is wanted; older ones come too late. */
  #wanted = 0;
  #stopping = false;
  /** Choices made in folders that are not shown now, by disk and folder. */
  #choices = new Map<string, ReadonlySet<string>>();
  #stops: (() => void)[] = [];

  /** Listens for progress. */
  async start(): Promise<void> {
    this.#stops.push(
      await ipc.onInsideProgress(({ disk, entries }) => {
        if (this.reading && disk === this.disk) this.seen = entries;
      }),
      await ipc.onRescueProgress((progress) => this.rescue.take(progress)),
    );
  }

  /** Stops listening. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Shows a disk from its top, unless it is the one; what failed or was stopped waits to be asked for. */
  async show(disk: DiskId): Promise<void> {
    if (this.disk === disk) return;
    this.#leave();
    this.disk = disk;
    this.view = null;
    this.chosen = new Set();
    await this.#read(null, 'first');
  }

  /** Opens a folder, or the top again. */
  open(folder: string | null): Promise<void> {
    return this.#read(folder, this.view === null ? 'first' : 'folder');
  }

  /** Reads what is shown again. */
  again(): Promise<void> {
    return this.#read(this.view?.trail.at(-1)?.id ?? null, this.view === null ? 'first' : 'again');
  }

  /** Reads the disk from its top: where the folder that is shown may be gone. */
  fromTop(): Promise<void> {
    return this.#read(null, 'again');
  }

  /** Stops the reading that runs. */
  async cancel(): Promise<void> {
    this.#stopping = true;
    await ipc.cancelInside().catch(() => undefined);
  }

  /** Takes the trouble away, once read. */
  dismiss(): void {
    this.trouble = null;
    this.stopped = false;
  }

  /** Chooses one entry, or no longer. */
  choose(id: string, chosen: boolean): void {
    this.chooseAll([id], chosen);
  }

  /** Chooses entries, or no longer. */
  chooseAll(ids: Iterable<string>, chosen: boolean): void {
    const next = new Set(this.chosen);
    for (const id of ids) {
      if (chosen) next.add(id);
      else next.delete(id);
    }
    this.chosen = next;
  }

  /** The entries that are chosen, as far as they are still there. */
  get choice(): InsideEntry[] {
    return this.chosen.size === 0 ? [] : (this.view?.entries ?? []).filter(({ id }) => this.chosen.has(id));
  }

  /** Copies what is chosen to where the user says. */
  async copy(): Promise<void> {
    const { view } = this;
    if (view === null) return;
    if (await this.rescue.run(view.disk, view.sessions && view.trail.length === 0, this.choice)) this.chosen = new Set();
  }

  async #read(folder: string | null, of: Trouble['of']): Promise<void> {
    const { disk } = this;
    if (disk === null) return;
    this.#wanted += 1;
    const mine = this.#wanted;
    const before = this.reading;
    this.reading = true;
    this.seen = 0;
    this.dismiss();
    // One reading at a time: the one that runs makes way.
    if (before) await ipc.cancelInside().catch(() => undefined);
    if (mine !== this.#wanted) return;
    this.#stopping = false;
    try {
      const view = await ipc.inside(disk, folder);
      if (mine !== this.#wanted) return;
      // A part never takes the place of the whole.
      if (view.cancelled && this.view !== null) this.stopped = true;
      else this.#take(view);
    } catch (error) {
      if (mine !== this.#wanted) return;
      if (this.#stopping) this.stopped = true;
      else this.trouble = { of, text: ipc.reason(error) };
    }
    this.reading = false;
  }

  #take(view: InsideView): void {
    this.#leave();
    this.view = view;
    const there = new Set(view.entries.map(({ id }) => id));
    this.chosen = new Set([...(this.#choices.get(key(view)) ?? [])].filter((id) => there.has(id)));
  }

  /** Keeps the choice of the folder that is shown, for when it is shown again. */
  #leave(): void {
    if (this.view !== null) this.#choices.set(key(this.view), this.chosen);
  }
}

const key = (view: InsideView) => [view.disk, ...view.trail.map(({ id }) => id)].join('/');

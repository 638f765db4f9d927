// "So what?" for a disk's inside, in one sentence; and what grew, in a second.

import type { Growth } from '../../bindings/Growth';
import type { InsideEntry } from '../../bindings/InsideEntry';
import type { InsideView } from '../../bindings/InsideView';
import type { Time } from '../../bindings/Time';
import { amount, grouped, more, share, since, visible } from '../../format';
import { words } from '../../words';

const bytes = (value: number) => amount(value, true);

/** What is in the folder that is shown, and how much of it the largest have. */
export function headline(view: InsideView): string {
  const say = words.inside.headline;
  const top = view.trail.length === 0;
  const homes = top && view.sessions ? view.entries.filter(({ kind }) => kind === 'dir') : view.entries;
  if (view.cancelled && view.entries.length === 0) return say.stopped;
  if (homes.length === 0 && view.damaged === 0) return top && view.sessions ? say.noSessions : say.emptyFolder;
  const sum = homes.reduce((sum, { allocated }) => sum + allocated, 0);
  const held = top && view.sessions ? sum : view.allocated;
  const sure = view.damaged === 0 && !view.cancelled;
  const shown = sure ? bytes(held) : words.roots.atLeast(bytes(held));
  const count = grouped(homes.length);
  let said: string;
  if (top) {
    const what = view.sessions ? say.sessions(count, homes.length) : say.items(count, homes.length);
    said = say.hold(what, homes.length, view.sizes.guest_size === null ? shown : say.of(shown, bytes(view.sizes.guest_size)));
  } else {
    const below = view.entries.reduce((sum, { entries }) => sum + entries + 1, 0);
    said = say.inEntries(say.hold(view.sessions && view.trail.length === 1 ? say.thisSession : say.thisFolder, 1, shown), grouped(below), below);
  }
  return homes.length < 2 || held === 0 || !sure ? said : largest(said, homes, held, top && view.sessions);
}

function largest(said: string, entries: readonly InsideEntry[], held: number, anonymous: boolean): string {
  const say = words.inside.headline;
  const sorted = [...entries].sort((a, b) => b.allocated - a.allocated);
  const [first] = sorted;
  if (first === undefined) return said;
  if (sorted.length <= 20) {
    // The name of a session says nothing; that of a folder does, where it is short.
    const name = visible(first.path);
    const part = share(first.allocated, held);
    return anonymous || name.length > 24 ? say.largest(said, part) : say.largestNamed(said, name, part);
  }
  const ten = sorted.slice(0, 10).reduce((sum, { allocated }) => sum + allocated, 0);
  return say.tenLargest(said, share(ten, held));
}

/** `+540 MB since yesterday, 512 MB of it in 3 new sessions`. */
export function grew(growth: Growth, sessions: boolean, now: Time): string {
  const say = words.inside.growth;
  const when = since(growth.since, now);
  if (growth.grown.length === 0) return say.nothing(when);
  const fresh = growth.grown.filter((one) => one.new);
  const part = fresh.reduce((sum, { by }) => sum + by, 0);
  if (fresh.length === 0) return say.by(more(growth.by), when);
  const what = (sessions ? say.newSessions : say.newFolders)(grouped(fresh.length), fresh.length);
  return fresh.length === growth.grown.length ? say.allNew(more(growth.by), when, what) : say.byNew(more(growth.by), when, bytes(part), what);
}

// "So what?" for a disk's inside, in one sentence; and what grew, in a second.

import type { Growth } from '../../bindings/Growth';
import type { InsideView } from '../../bindings/InsideView';
import type { Time } from '../../bindings/Time';
import { amount, grouped, more, share, since } from '../../format';
import { words } from '../../words';

const bytes = (value: number) => amount(value, true);

/** What is in the folder that is shown, and how much of it the largest have. */
export function headline(view: InsideView): string {
  const say = words.inside.headline;
  const top = view.trail.length === 0;
  const homes = top && view.sessions ? view.entries.filter(({ kind }) => kind === 'dir') : view.entries;
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
  return homes.length < 2 || held === 0 || !sure ? said : largest(said, homes.map(({ allocated }) => allocated), held);
}

function largest(said: string, sizes: number[], held: number): string {
  const sorted = [...sizes].sort((a, b) => b - a);
  if (sorted.length <= 20) return words.inside.headline.largest(said, share(sorted[0] ?? 0, held));
  const ten = sorted.slice(0, 10).reduce((sum, size) => sum + size, 0);
  return words.inside.headline.tenLargest(said, share(ten, held));
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

// Numbers of a group, as its row says them.

import type { ClassView } from '../../bindings/ClassView';
import { counted } from '../../format';
import { words } from '../../words';

/** Bytes above which a length that is no space is worth a word. */
const MUCH = 100_000_000;

/** The length says something else than the space: holes, or many tiny files. */
export const differs = ({ apparent, allocated }: { apparent: number; allocated: number }) => apparent > allocated * 2 && apparent - allocated > MUCH;

/** How many of them are unused. */
export function unused({ count, dead }: ClassView): string {
  const say = words.leftovers.table;
  if (dead === count) return say.all;
  return dead === 0 ? say.noneDead : say.dead(counted(dead));
}

/** `3 in use, 2 not known`; none where nothing is kept. */
export function kept({ live, unknown }: ClassView): string | null {
  const say = words.leftovers.table;
  const parts = [...(live > 0 ? [say.live(counted(live))] : []), ...(unknown > 0 ? [say.unknown(counted(unknown))] : [])];
  return parts.length === 0 ? null : parts.reduce(words.list);
}

/** New ones an hour; none where there are none. */
export function rate({ rate_per_hour: rate }: ClassView): string | null {
  if (rate <= 0) return null;
  return rate < 1 ? words.leftovers.table.underOne : counted(rate);
}

// Parked leftovers in words.

import type { LeftoverSettings } from '../../bindings/LeftoverSettings';
import type { ParkedLeftovers } from '../../bindings/ParkedLeftovers';
import type { Time } from '../../bindings/Time';
import { amount, counted, date, past } from '../../format';
import { words } from '../../words';
import { capital, named as leftovers } from '../leftovers/headline';

const DAY = 86_400;
/** Kinds that are told beside the size; the rest is one press away. */
const TOLD = 2;

/** `Leftovers, parked 12 Nov`. */
export const named = ({ parked_at }: ParkedLeftovers, now: Time) => words.list(words.activity.asides.name, words.activity.copies.parked(past(parked_at, now)));

/** How many and how much; none where nothing of it can be seen. */
export function holds({ state, count, allocated }: ParkedLeftovers): string | null {
  return state === 'absent' ? null : words.activity.asides.holds(amount(allocated, true), leftovers(count));
}

/** What they are, the most frequent first. */
export function kinds({ classes }: ParkedLeftovers): string[] {
  const say = words.activity.asides;
  const sorted = [...classes].sort((a, b) => b.count - a.count);
  // One kind alone says its number already.
  const told = sorted.slice(0, TOLD).map(({ reason, count }) => (sorted.length === 1 ? capital(reason) : say.kind(counted(count), capital(reason))));
  const rest = sorted.slice(TOLD).reduce((sum, { count }) => sum + count, 0);
  return rest === 0 ? told : [...told, say.more(counted(rest))];
}

/** When it is discarded unasked; none where it never is. */
export function ends({ parked_at, state }: ParkedLeftovers, settings: LeftoverSettings | null, now: Time): string | null {
  const say = words.activity.asides;
  if (settings === null || settings.discard_after_days === 0 || state === 'absent') return null;
  const at = parked_at + settings.discard_after_days * DAY;
  return at <= now ? say.goesNext : say.goes(date(at));
}

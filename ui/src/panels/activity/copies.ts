// A parked copy in words.

import type { ParkedCopy } from '../../bindings/ParkedCopy';
import type { Time } from '../../bindings/Time';
import { amount, grouped, past } from '../../format';
import { words } from '../../words';

/** `Session disk, parked 12 Nov`. */
export function named(copy: ParkedCopy, now: Time): string {
  const say = words.activity.copies;
  return words.list(say.name[copy.scope], say.parked(past(copy.parked_at, now)));
}

/** Which sessions are in it. */
export function holds(copy: ParkedCopy): string {
  const say = words.activity.copies;
  if (copy.homes !== null) return say.holds(grouped(copy.homes.count), copy.homes.count, amount(copy.homes.allocated, true));
  return copy.scope === 'system_disk' ? say.system : say.unknown;
}

/** The disk in it that files can be rescued from; the id by which Rust knows it. */
export function disk(copy: ParkedCopy): string | null {
  if (copy.state === 'absent' || copy.state === 'discarding') return null;
  if (copy.scope !== 'system_disk') return `parked_sessions:${copy.id}`;
  return `parked_system:${copy.id}`;
}

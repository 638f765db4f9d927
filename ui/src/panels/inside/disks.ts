// Which disks can be looked into: those in their place, and those of the parked copy that was asked for.

import type { DiskId } from '../../bindings/DiskId';
import type { GaugeStatus } from '../../bindings/GaugeStatus';
import type { ParkedCopy } from '../../bindings/ParkedCopy';
import type { Time } from '../../bindings/Time';
import { words } from '../../words';
import { named } from '../activity/copies';

/** A disk, as far as the choice between them needs it. */
export interface Choice extends Pick<GaugeStatus, 'id' | 'kind' | 'name' | 'detail' | 'live' | 'reason'> {
  /** What it belongs to, where that is not an installation. */
  of?: string;
}

/** The names by which Rust knows the disks of a parked copy. */
const PARKED = { guest_sessions: 'parked_sessions:', guest_system: 'parked_system:' } as const;

export function choices(gauges: readonly GaugeStatus[], parked: readonly ParkedCopy[], wanted: DiskId | null, now: Time): Choice[] {
  const there: Choice[] = gauges.filter(({ kind }) => kind in PARKED);
  const copy = parked.find(({ id }) => Object.values(PARKED).some((kind) => wanted === kind + id));
  if (copy === undefined) return there;
  const kinds = copy.scope === 'session_disk' ? (['guest_sessions'] as const) : copy.scope === 'system_disk' ? (['guest_system'] as const) : (['guest_sessions', 'guest_system'] as const);
  const of = named(copy, now);
  return [...there, ...kinds.map((kind) => ({ id: PARKED[kind] + copy.id, kind, name: words.list(words.inside.disk[kind], of), detail: copy.path, live: false, reason: null, of }))];
}

// Where a gauge leads, in parts that each stay on one line: its rate with a sign, and when it is full; and
// what helps against it.

import type { GaugeStatus } from '../../bindings/GaugeStatus';
import type { LeftoverSummary } from '../../bindings/LeftoverSummary';
import type { Time } from '../../bindings/Time';
import { amount, band, counted, inBytes, rate } from '../../format';
import { words } from '../../words';

const DAY = 86_400;

/** `+540 MB a day` and `full 2 to 4 Dec`, or `steady`, or why nothing can be said. */
export function leads(gauge: GaugeStatus, now: Time): string[] {
  const { state, rate_per_day, full_at, earliest, latest, reason } = gauge.forecast;
  if (gauge.full) return [words.forecast.fullNow];
  const soon = full_at !== null && full_at - now < 2 * DAY;
  const pace = rate_per_day === null ? null : rate(rate_per_day, inBytes(gauge.kind), soon);
  const parts = pace === null ? [] : [pace];
  switch (state) {
    case 'filling':
      return full_at === null ? parts : [...parts, words.forecast.full(band(earliest ?? full_at, latest, now))];
    case 'steady':
      return [words.forecast.steady];
    case 'shrinking':
      return [...parts, words.forecast.shrinking];
    case 'unknown':
      return reason === null ? [] : [words.forecast.none[reason]];
  }
}

/**
 * What cleaning leftovers could give a disk of this computer that fills, in its own measure; none where
 * it would not help. A guest's disk gains nothing by it.
 */
export function remedy({ kind, verdict }: GaugeStatus, leftovers: LeftoverSummary | null): string | null {
  if (leftovers === null || leftovers.count === 0 || !kind.startsWith('host_') || (verdict !== 'low' && verdict !== 'critical')) return null;
  if (inBytes(kind)) return leftovers.allocated === 0 ? null : words.canGo.bytes(amount(leftovers.allocated, true));
  return leftovers.inodes === 0 ? null : words.canGo.files(counted(leftovers.inodes), leftovers.inodes);
}

// The chart as a table: the same numbers at a pace that can be read or listened to.

import type { Range } from '../bindings/Range';
import type { Time } from '../bindings/Time';
import type { Cell, Plan } from './plan';

/** Seconds between two rows of each span. */
export const PACE: Record<Range, number> = {
  '1h': 300,
  '24h': 3600,
  '7d': 21_600,
  '30d': 86_400,
  '1y': 7 * 86_400,
};

/** One row: a moment and the last value of each line in the time before it; null where there was none. */
export interface Row {
  at: Time;
  values: (number | null)[];
}

/** The rows of a plan, newest first. */
export function rows(plan: Plan, range: Range): Row[] {
  const pace = PACE[range];
  const out: Row[] = [];
  let last = plan.at.length - 1;
  for (let end = plan.to; end > plan.from; end -= pace) {
    let first = last;
    while (first >= 0 && (plan.at[first] ?? 0) > end - pace) first -= 1;
    const values = plan.lines.map((line) => lastNumber(line.last, first, last));
    if (values.some((value) => value !== null)) out.push({ at: end, values });
    last = first;
  }
  return out;
}

/** The last number in the cells after `first` up to `last`. */
function lastNumber(cells: readonly Cell[], first: number, last: number): number | null {
  for (let at = last; at > first; at -= 1) {
    const cell = cells[at];
    if (typeof cell === 'number') return cell;
  }
  return null;
}

/** The value of a line at a column: its own, or the one before where only other lines have a point. */
export function valueAt(cells: readonly Cell[], column: number): number | null {
  for (let at = column; at >= 0; at -= 1) {
    const cell = cells[at];
    if (cell !== undefined) return cell;
  }
  return null;
}

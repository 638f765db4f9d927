// Which rows the table shows, in which order. Twenty thousand of them are sorted at each letter of a
// search, so that nothing here is done twice.

import type { Grown } from '../../bindings/Grown';
import type { InsideEntry } from '../../bindings/InsideEntry';
import { byName } from '../../format';

export const COLUMNS = ['name', 'size', 'entries', 'changed', 'made', 'growth'] as const;
export type Column = (typeof COLUMNS)[number];

/** Order of the rows: a column, and which end comes first. */
export interface Order {
  by: Column;
  /** Smallest, earliest, or A first. */
  up: boolean;
}

/** As each column is wanted first: names from A, everything else the most or the latest. */
export const first = (by: Column): Order => ({ by, up: by === 'name' });

/** A press on a column: it becomes the order, or turns it round. */
export const press = (order: Order, by: Column): Order => (order.by === by ? { by, up: !order.up } : first(by));

/** An entry with what grew of it. */
export interface Row {
  entry: InsideEntry;
  grown: Grown | null;
  /** For the search: case does not matter. */
  key: string;
}

export function rows(entries: readonly InsideEntry[], grown: readonly Grown[]): Row[] {
  const by = new Map(grown.map((one) => [one.id, one]));
  return entries.map((entry) => ({ entry, grown: by.get(entry.id) ?? null, key: entry.path.toLowerCase() }));
}

const VALUES: Record<Exclude<Column, 'name'>, (row: Row) => number> = {
  size: ({ entry }) => entry.allocated,
  entries: ({ entry }) => entry.entries,
  changed: ({ entry }) => entry.last_change,
  made: ({ entry }) => entry.first_change,
  growth: ({ grown }) => grown?.by ?? -1,
};

/** The rows that match, in order; equal ones by size, as Rust gave them. */
export function pick(all: readonly Row[], query: string, onlyGrown: boolean, order: Order): Row[] {
  const wanted = query.trim().toLowerCase();
  const matching = all.filter((row) => (wanted === '' || row.key.includes(wanted)) && (!onlyGrown || row.grown !== null));
  const sign = order.up ? 1 : -1;
  if (order.by === 'name') return matching.sort((a, b) => sign * byName(a.key, b.key));
  const value = VALUES[order.by];
  return matching.sort((a, b) => sign * (value(a) - value(b)));
}

/** Rows from `from` to before `to` are near enough to be drawn, and the one that has the focus. */
export function near(count: number, height: number, above: number, room: number, active: number): number[] {
  const spare = 8;
  const from = Math.max(0, Math.floor(above / height) - spare);
  const to = Math.min(count, Math.ceil((above + room) / height) + spare);
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  if (active >= 0 && active < count) {
    if (active < from) drawn.unshift(active);
    else if (active >= to) drawn.push(active);
  }
  return drawn;
}

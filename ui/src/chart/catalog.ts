// Which lines a chart can show, in which group, under which name, and which it shows at first.

import type { GaugeId } from '../bindings/GaugeId';
import type { History } from '../bindings/History';
import type { Series } from '../bindings/Series';
import type { Unit } from '../bindings/Unit';
import type { Status } from '../bindings/Status';
import { inBytes } from '../format';
import { words } from '../words';

export const GROUPS = ['gauges', 'bundles', 'roots'] as const;
export type Group = (typeof GROUPS)[number];

/** How many colours there are; a ninth line shares one. */
export const COLORS = 8;

/** A line that can be chosen. */
export interface Choice {
  id: GaugeId;
  name: string;
  group: Group;
  series: Series;
}

/** Places in the palette, by line. */
export type Colors = ReadonlyMap<GaugeId, number>;

/** An id is `<kind>:<token>`; the kind tells the group even for what is gone from the snapshot. */
function group(id: GaugeId): Group {
  if (id.startsWith('bundle_')) return 'bundles';
  return id.startsWith('root_') ? 'roots' : 'gauges';
}

/**
 * Every line of a history, grouped, under the name the cards use now: the history keeps names from
 * when there was one sandbox. Names that two lines share are told apart.
 */
export function choices(history: History, status: Status): Choice[] {
  const now = new Map([...status.gauges, ...status.meters].map(({ id, name }) => [id, name]));
  let names = history.series.map(({ id, name }) => now.get(id) ?? words.chart.gone(name));
  names = names.map((name, at) => (times(names, name) < 2 ? name : countedName(name, history.series[at]?.unit)));
  names = names.map((name, at) =>
    times(names, name) < 2 ? name : words.chart.nth(name, times(names.slice(0, at + 1), name)),
  );
  const named = history.series.map((series, at) => ({
    id: series.id,
    name: names[at] ?? series.name,
    group: group(series.id),
    series,
  }));
  return GROUPS.flatMap((wanted) => named.filter((choice) => choice.group === wanted));
}

/**
 * Gives each line shown a colour no other line shown has, as long as there are enough. A line keeps
 * the colour it had, so that showing another never repaints it.
 */
export function paint(shown: readonly GaugeId[], before: Colors): Colors {
  const colors = new Map<GaugeId, number>();
  const taken = new Set<number>();
  for (const id of shown) {
    const kept = before.get(id);
    if (kept === undefined || taken.has(kept)) continue;
    colors.set(id, kept);
    taken.add(kept);
  }
  for (const id of shown) {
    if (colors.has(id)) continue;
    const free = Array.from({ length: COLORS }, (_, at) => at).find((color) => !taken.has(color));
    const color = free ?? colors.size % COLORS;
    colors.set(id, color);
    taken.add(color);
  }
  return colors;
}

const times = (names: readonly string[], name: string) => names.filter((other) => other === name).length;

function countedName(name: string, unit: Unit | undefined): string {
  return unit === 'entries' ? words.chart.entries(name) : words.chart.size(name);
}

/**
 * What is drawn while the user has chosen nothing: the gauge the headline speaks of, the sandbox's
 * own disks in use, and the largest temp folder. A host volume's scale would flatten all of them.
 */
export function firstLines(all: readonly Choice[], status: Status): GaugeId[] {
  // A line without a point would promise something that is not there.
  const drawable = all.filter((choice) => choice.series.points.length > 0);
  const has = (id: GaugeId | null): id is GaugeId => id !== null && drawable.some((choice) => choice.id === id);
  const guests = status.gauges.filter((gauge) => gauge.kind.startsWith('guest_') && inBytes(gauge.kind) && gauge.live).map((gauge) => gauge.id);
  const lines = new Set<GaugeId>();
  const worst = status.gauges.find((gauge) => gauge.id === status.worst);
  if (has(status.worst) && worst !== undefined && (guests.length === 0 || worst.verdict !== 'ok')) lines.add(status.worst);
  if (lines.size === 0 || guests.includes(status.worst ?? '')) {
    for (const id of guests.filter(has).slice(0, 2)) lines.add(id);
    const root = status.meters
      .filter((meter) => meter.kind === 'root_allocated' && meter.value !== null)
      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0))[0];
    if (root !== undefined && has(root.id)) lines.add(root.id);
  }
  const first = drawable[0] ?? all[0];
  if (lines.size === 0 && first !== undefined) lines.add(first.id);
  return [...lines];
}

/** The lines to draw: the focused gauge alone, else the user's choice as far as it exists, else the first ones. */
export function shownLines(
  all: readonly Choice[],
  status: Status,
  chosen: readonly GaugeId[] | null,
  focus: GaugeId | null,
): GaugeId[] {
  if (focus !== null && all.some((choice) => choice.id === focus)) return [focus];
  if (chosen !== null) {
    const there = chosen.filter((id) => all.some((choice) => choice.id === id));
    // An empty choice is a choice; one whose lines are all gone is not.
    if (there.length > 0 || chosen.length === 0) return there;
  }
  return firstLines(all, status);
}

// From history to what is drawn, without drawing: columns, scales, gaps, forecasts, marks. Pure, so
// that the picture's truth is tested without a canvas.

import type { EventKind } from '../bindings/EventKind';
import type { GaugeId } from '../bindings/GaugeId';
import type { History } from '../bindings/History';
import type { Point } from '../bindings/Point';
import type { Status } from '../bindings/Status';
import type { Time } from '../bindings/Time';
import type { Unit } from '../bindings/Unit';
import type { Choice, Colors } from './catalog';

/** A value, a hole in the line (null), or a place that says nothing about this line (undefined). */
export type Cell = number | null | undefined;

/** A solid line: what was measured. */
export interface Line {
  id: GaugeId;
  name: string;
  color: number;
  unit: Unit;
  last: Cell[];
  /** Smallest and largest value of each span, for the band behind the line; null where they agree. */
  spread: { low: Cell[]; high: Cell[] } | null;
}

/** A dashed line with a band: where a line leads. */
export interface Ahead {
  id: GaugeId;
  color: number;
  unit: Unit;
  from: { at: Time; value: number };
  /** Where it is full, and when at the earliest, likely and latest. */
  full: number;
  earliest: Time;
  likely: Time;
  /** None where the slow end never fills it. */
  latest: Time | null;
}

/** A moment something happened. */
export interface Mark {
  at: Time;
  id: GaugeId;
  name: string;
  kind: EventKind;
}

/** All of a chart. */
export interface Plan {
  from: Time;
  /** Now: where facts end. */
  to: Time;
  /** The right edge, after `to` where a forecast is shown. */
  end: Time;
  at: Time[];
  lines: Line[];
  ahead: Ahead[];
  /** The line at which the one gauge shown is full. */
  limit: { value: number; unit: Unit } | null;
  marks: Mark[];
  /** Bounds of each scale in use. */
  scales: Partial<Record<Unit, [low: number, high: number]>>;
}

/** At most this part of the span is given to the future. */
const FUTURE = 0.25;

/**
 * The longest distance between two points that still is one line. Volumes are looked at each minute,
 * folders as seldom as their size asks for: a hole is what is long for this very series.
 */
export function reach(points: readonly Point[], step: number): number {
  const distances = points.slice(1).map((point, at) => point.at - (points[at]?.at ?? point.at));
  distances.sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? step;
  return usual <= step ? step * 1.5 : usual * 3;
}

type Painted = Choice & { color: number };

/** Plans a chart of the lines that have a colour, in the order of the catalogue. */
export function plan(history: History, status: Status, all: readonly Choice[], colors: Colors): Plan {
  const chosen = all.flatMap((choice) => {
    const color = colors.get(choice.id);
    return color === undefined ? [] : [{ ...choice, color }];
  });
  const at = columns(chosen, history.step);
  const place = new Map(at.map((time, index) => [time, index]));
  const lines = chosen.map((choice) => line(choice, place, at.length, history.step));
  const ahead = chosen.flatMap((choice) => forecast(choice, history, status) ?? []);
  const from = begin(history, at[0]);
  const future = Math.max(0, ...ahead.map((ahead) => room(ahead, history.to, history.to - from)));
  const end = history.to + future;
  const names = new Map(chosen.map((choice) => [choice.id, choice.name]));
  const marks = history.events.flatMap(({ at, id, kind }) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ at, id, name, kind }];
  });
  const limit = chosen.length === 1 ? limitOf(chosen[0], status) : null;
  const drawn = { from, to: history.to, end, at, lines, ahead, limit, marks };
  return { ...drawn, scales: scales(drawn) };
}

/** Where the picture begins: a year that was watched for three days is drawn as three days. */
function begin(history: History, first: Time | undefined): Time {
  const span = history.to - history.from;
  if (first === undefined || first - history.from < span / 10) return history.from;
  const known = Math.max(history.to - first, history.step * 10);
  return Math.max(history.from, history.to - known * 1.02);
}

/** How much future a forecast needs: until it is surely full, if that is soon. */
function room(ahead: Ahead, now: Time, span: number): number {
  const needed = ahead.latest === null ? Infinity : (ahead.latest - now) * 1.15;
  return Math.min(span * FUTURE, needed);
}

/** All moments any line has a point at, and one inside each hole that no line has a point in. */
function columns(chosen: readonly Choice[], step: number): Time[] {
  const moments = new Set<Time>();
  for (const { series } of chosen) {
    const longest = reach(series.points, step);
    let before: Time | null = null;
    for (const { at } of series.points) {
      if (before !== null && at - before > longest) moments.add(before + step);
      moments.add(at);
      before = at;
    }
  }
  return [...moments].sort((a, b) => a - b);
}

function line({ id, name, color, series }: Painted, place: ReadonlyMap<Time, number>, length: number, step: number): Line {
  const last: Cell[] = Array.from({ length }, () => null);
  const low = last.slice();
  const high = last.slice();
  const longest = reach(series.points, step);
  let varies = false;
  let before: { at: Time; index: number } | null = null;
  for (const point of series.points) {
    const index = place.get(point.at);
    if (index === undefined) continue;
    if (before !== null && point.at - before.at <= longest) {
      // Other lines have points in between; they are no hole of this one.
      for (const column of [last, low, high]) column.fill(undefined, before.index + 1, index);
    }
    last[index] = point.last;
    low[index] = point.min;
    high[index] = point.max;
    varies ||= point.min !== point.max;
    before = { at: point.at, index };
  }
  return { id, name, color, unit: series.unit, last, spread: varies ? { low, high } : null };
}

/** The forecast of a filling gauge, from its last point of this history. */
function forecast({ id, color, series }: Painted, history: History, status: Status): Ahead | null {
  const gauge = status.gauges.find((gauge) => gauge.id === id);
  if (gauge === undefined || gauge.used === null || gauge.available === null) return null;
  const { state, earliest, full_at, latest } = gauge.forecast;
  if (state !== 'filling' || earliest === null || full_at === null || full_at <= history.to) return null;
  return {
    id,
    color,
    unit: series.unit,
    from: { at: history.to, value: gauge.used },
    full: gauge.used + gauge.available,
    earliest: Math.max(earliest, history.to + 1),
    likely: full_at,
    latest,
  };
}

/** The value of a forecast at a moment, on the way to `full_at`; level from there on. */
export function valueAhead(ahead: Ahead, fullAt: Time | null, at: Time): number {
  if (fullAt === null) return ahead.from.value;
  const way = Math.min(1, Math.max(0, (at - ahead.from.at) / Math.max(1, fullAt - ahead.from.at)));
  return ahead.from.value + (ahead.full - ahead.from.value) * way;
}

/** Where the gauge is full for this user: what is reserved for the system is not theirs. */
function limitOf(choice: Choice | undefined, status: Status): Plan['limit'] {
  const gauge = status.gauges.find((gauge) => gauge.id === choice?.id);
  if (choice === undefined || gauge === undefined) return null;
  const value = gauge.used !== null && gauge.available !== null ? gauge.used + gauge.available : choice.series.limit;
  return value === null ? null : { value, unit: choice.series.unit };
}

/** Bounds that hold all that is drawn; from zero unless that would press the lines flat. */
function scales(drawn: Omit<Plan, 'scales'>): Plan['scales'] {
  const out: Plan['scales'] = {};
  for (const unit of ['bytes', 'entries'] as const) {
    const lines = drawn.lines.filter((line) => line.unit === unit);
    if (lines.length === 0) continue;
    let low = Infinity;
    let high = -Infinity;
    const hold = (value: number | null | undefined) => {
      if (value === null || value === undefined) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    };
    for (const line of lines) {
      line.last.forEach(hold);
      line.spread?.low.forEach(hold);
      line.spread?.high.forEach(hold);
    }
    for (const ahead of drawn.ahead.filter((ahead) => ahead.unit === unit)) {
      for (const when of [ahead.earliest, ahead.likely, ahead.latest]) hold(valueAhead(ahead, when, drawn.end));
    }
    if (drawn.limit?.unit === unit) {
      hold(0);
      hold(drawn.limit.value);
    }
    if (low > high) [low, high] = [0, 1];
    const flat = low > 0 && high - low < low / 4;
    // A line that never moved gets room around it, not a scale of one byte.
    const room = Math.max(high - low, high / 50, 1) * 0.1;
    out[unit] = flat ? [Math.max(0, low - room), high + room] : [0, high + room];
  }
  return out;
}

import { describe, expect, test } from 'vitest';

import type { History } from '../bindings/History';
import type { Point } from '../bindings/Point';
import type { Series } from '../bindings/Series';
import { DAY, empty, filling, gauge, GB, meter, NOW } from '../mocks/parts';
import { choices, COLORS, firstLines, paint, shownLines } from './catalog';
import { plan, reach, valueAhead } from './plan';
import { rows, valueAt } from './table';

const point = (at: number, value: number): Point => ({ at, min: value, max: value, last: value, count: 1 });
const every = (step: number, from: number, to: number, value = (_: number) => 5): Point[] => {
  const points: Point[] = [];
  for (let at = from; at <= to; at += step) points.push(point(at, value(at)));
  return points;
};
const series = (id: string, points: Point[], own: Partial<Series> = {}): Series => ({ id, name: id, unit: 'bytes', limit: null, points, ...own });
const past = (own: Partial<History>): History => ({ schema: 1, range: '1h', from: 0, to: 3600, step: 60, series: [], events: [], ...own });
const all = (history: History, ...ids: string[]) => paint(ids.length > 0 ? ids : history.series.map(({ id }) => id), new Map());

describe('a line', () => {
  test('is broken where nothing was measured', () => {
    const history = past({ series: [series('host_bytes:a', [...every(60, 0, 600), ...every(60, 1800, 3600)])] });
    const { at, lines } = plan(history, empty, choices(history, empty), all(history));
    expect(at).toContain(660);
    expect(lines[0]?.last[at.indexOf(660)]).toBeNull();
    expect(lines[0]?.last.filter((cell) => cell === null)).toHaveLength(1);
  });

  test('that is measured seldom is not broken by one that is measured often', () => {
    const history = past({ series: [series('host_bytes:a', every(60, 0, 3600)), series('root_allocated:b', every(600, 0, 3600))] });
    const { lines } = plan(history, empty, choices(history, empty), all(history));
    expect(lines[1]?.last.slice(0, 11)).toEqual([5, ...Array(9).fill(undefined), 5]);
    expect(lines[1]?.last).not.toContain(null);
  });

  test('reaches over its own usual distance and no further', () => {
    expect(reach(every(60, 0, 600), 60)).toBe(90);
    expect(reach(every(600, 0, 3600), 60)).toBe(1800);
    expect(reach([], 60)).toBe(90);
  });

  test('whose spans vary carries smallest and largest beside the last', () => {
    const history = past({ series: [series('host_bytes:a', [{ at: 0, min: 1, max: 9, last: 4, count: 3 }, point(60, 5)])] });
    expect(plan(history, empty, choices(history, empty), all(history)).lines[0]?.spread).toEqual({ low: [1, 5], high: [9, 5] });
  });
});

describe('a scale', () => {
  const scaleOf = (values: number[]) => {
    const history = past({ series: [series('host_bytes:a', values.map((value, at) => point(at * 60, value)))] });
    return plan(history, empty, choices(history, empty), all(history)).scales.bytes;
  };
  test('begins at zero where that leaves the line readable', () => expect(scaleOf([100, 200])?.[0]).toBe(0));
  test('is cut where a small change of a large number would vanish', () => expect(scaleOf([1000, 1010])?.[0]).toBeGreaterThan(900));
  test('of a line that never moved has room on both sides', () => {
    const [low, high] = scaleOf([1000, 1000]) ?? [0, 0];
    expect(low).toBeLessThan(1000);
    expect(high).toBeGreaterThan(1000);
  });
  test('of entries is its own', () => {
    const history = past({ series: [series('host_bytes:a', [point(0, 9e9)]), series('root_entries:b', [point(0, 40)], { unit: 'entries' })] });
    const { scales } = plan(history, empty, choices(history, empty), all(history));
    expect(scales.entries?.[1]).toBeLessThan(100);
    expect(scales.bytes?.[1]).toBeGreaterThan(9e9);
  });
});

describe('a forecast', () => {
  const used = 8.2 * GB;
  const sessions = gauge({ id: 'guest_sessions:a', kind: 'guest_sessions', name: 'S', used, available: 1.1 * GB, limit: 9.8 * GB, forecast: filling(0.38 * GB, 3, 2, null) });
  const status = { ...empty, gauges: [sessions] };
  const history = past({ range: '7d', from: NOW - 7 * DAY, to: NOW, step: 900, series: [series(sessions.id, every(900, NOW - 7 * DAY, NOW, () => used), { limit: 9.8 * GB })] });

  test('goes from now to where the user can write no more, not to the whole disk', () => {
    const [ahead] = plan(history, status, choices(history, empty), all(history)).ahead;
    expect(ahead).toMatchObject({ from: { at: NOW, value: used }, full: 9.3 * GB, latest: null });
    expect(valueAhead(ahead!, ahead!.likely, ahead!.likely)).toBe(9.3 * GB);
    expect(valueAhead(ahead!, ahead!.likely, ahead!.likely + DAY)).toBe(9.3 * GB);
    expect(valueAhead(ahead!, null, NOW + 30 * DAY)).toBe(used);
  });
  test('gets a quarter of the width at most', () => {
    expect(plan(history, status, choices(history, empty), all(history)).end).toBe(NOW + (7 * DAY) / 4);
  });
  test('gets no more than it needs', () => {
    const soon = { ...empty, gauges: [{ ...sessions, forecast: filling(9 * GB, 0.1, 0.08, 0.2) }] };
    expect(plan(history, soon, choices(history, empty), all(history)).end).toBe(NOW + 0.2 * DAY * 1.15);
  });
  test('that is unknown or steady is not drawn', () => {
    const flat = { ...empty, gauges: [{ ...sessions, forecast: { ...sessions.forecast, state: 'steady' as const, full_at: null } }] };
    const drawn = plan(history, flat, choices(history, empty), all(history));
    expect(drawn.ahead).toEqual([]);
    expect(drawn.end).toBe(NOW);
  });
  test('of one gauge alone comes with the line it is full at', () => {
    expect(plan(history, status, choices(history, empty), all(history)).limit).toEqual({ value: 9.3 * GB, unit: 'bytes' });
  });
});

test('a year of which three days were watched is drawn as three days', () => {
  const history = past({ range: '1y', from: NOW - 365 * DAY, to: NOW, step: 21_600, series: [series('host_bytes:a', every(21_600, NOW - 3 * DAY, NOW))] });
  expect(plan(history, empty, choices(history, empty), all(history)).from).toBeGreaterThan(NOW - 4 * DAY);
});

test('marks stand only for lines that are drawn', () => {
  const history = past({
    series: [series('host_bytes:a', [point(0, 1)]), series('host_bytes:b', [point(0, 1)])],
    events: [{ at: 60, id: 'host_bytes:a', kind: 'stepped_down' }, { at: 60, id: 'host_bytes:b', kind: 'appeared' }],
  });
  expect(plan(history, empty, choices(history, empty), all(history, 'host_bytes:a')).marks.map(({ id }) => id)).toEqual(['host_bytes:a']);
});

test('an empty history is planned without a line or an error', () => {
  const drawn = plan(past({}), empty, [], new Map());
  expect([drawn.at, drawn.lines, drawn.scales]).toEqual([[], [], {}]);
  expect(rows(drawn, '1h')).toEqual([]);
});

describe('which lines', () => {
  const history = past({
    series: ['root_entries:t', 'root_allocated:t', 'bundle_allocated:c', 'host_bytes:a', 'guest_sessions:c', 'guest_system:c'].map((id) => series(id, [point(0, 1)])),
  });
  const status = {
    ...empty,
    worst: 'guest_sessions:c',
    gauges: [
      gauge({ id: 'guest_sessions:c', kind: 'guest_sessions', name: 'S', used: 1, available: 1 }),
      gauge({ id: 'guest_system:c', kind: 'guest_system', name: 'Y', used: 1, available: 1 }),
      gauge({ id: 'host_bytes:a', kind: 'host_bytes', name: 'H', used: 1, available: 1 }),
    ],
  };
  const known = choices(history, empty);

  test('can be chosen: every one, disks first', () => {
    expect(known.map(({ id }) => id)).toEqual(['host_bytes:a', 'guest_sessions:c', 'guest_system:c', 'bundle_allocated:c', 'root_entries:t', 'root_allocated:t']);
  });
  test('are shown at first: the sandbox’s own disks, not the volume that would flatten them', () => {
    expect(firstLines(known, status)).toEqual(['guest_sessions:c', 'guest_system:c']);
  });
  test('are shown at first where a volume is in trouble: that volume', () => {
    const gauges = status.gauges.map((gauge) => (gauge.id === 'host_bytes:a' ? { ...gauge, verdict: 'low' as const } : gauge));
    expect(firstLines(known, { ...status, worst: 'host_bytes:a', gauges })).toEqual(['host_bytes:a']);
  });
  test('are shown: the gauge looked at alone, else what was chosen and is still there, else the first ones', () => {
    expect(shownLines(known, status, ['host_bytes:a'], 'guest_system:c')).toEqual(['guest_system:c']);
    expect(shownLines(known, status, ['host_bytes:a', 'host_bytes:gone'], 'host_bytes:gone')).toEqual(['host_bytes:a']);
    expect(shownLines(known, status, [], null)).toEqual([]);
    expect(shownLines(known, status, ['host_bytes:gone'], null)).toEqual(firstLines(known, status));
  });
  test('share no colour, and keep theirs when another comes', () => {
    const ids = Array.from({ length: COLORS }, (_, at) => `l${at}`);
    const before = paint(ids.slice(0, 3), new Map());
    const after = paint(['l7', ...ids.slice(1, 3)], before);
    expect(new Set(paint(ids, new Map()).values()).size).toBe(COLORS);
    expect([after.get('l1'), after.get('l2')]).toEqual([before.get('l1'), before.get('l2')]);
    expect(paint([...ids, 'l8', 'l9'], new Map()).size).toBe(COLORS + 2);
  });
  test('two things of one name are told apart', () => {
    const twins = past({ series: [series('root_allocated:t', [], { name: '/tmp' }), series('root_entries:t', [], { name: '/tmp', unit: 'entries' })] });
    const named = { ...empty, meters: [meter({ id: 'root_allocated:t', kind: 'root_allocated', name: '/tmp' }), meter({ id: 'root_entries:t', kind: 'root_entries', name: '/tmp' })] };
    expect(choices(twins, named).map(({ name }) => name)).toEqual(['/tmp, size', '/tmp, entries']);
  });
  test('are named as the cards name them now, and what is gone says so', () => {
    const old = past({ series: [series('guest_sessions:c', [], { name: 'Old' }), series('guest_sessions:x', [], { name: 'Sessions disk' }), series('guest_sessions:y', [], { name: 'Sessions disk' })] });
    expect(choices(old, status).map(({ name }) => name)).toEqual(['S', 'Sessions disk (no longer there), size (1)', 'Sessions disk (no longer there), size (2)']);
  });
});

describe('the table', () => {
  test('holds the last value of each span, newest first, and says where there is none', () => {
    const history = past({ series: [series('host_bytes:a', every(60, 0, 1200, (at) => at)), series('host_bytes:b', every(60, 900, 3600, (at) => at))] });
    const listed = rows(plan(history, empty, choices(history, empty), all(history)), '1h');
    expect(listed[0]).toEqual({ at: 3600, values: [null, 3600] });
    expect(listed.at(-1)).toEqual({ at: 300, values: [300, null] });
    expect(listed.length).toBeLessThanOrEqual(12);
  });
  test('and the pointer read the value before where only others were measured, and nothing in a hole', () => {
    expect(valueAt([4, undefined, undefined], 2)).toBe(4);
    expect(valueAt([4, null, undefined], 2)).toBeNull();
    expect(valueAt([], 0)).toBeNull();
  });
});

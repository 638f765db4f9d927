// History for a scenario: each gauge and meter gets a past that ends in its present.

import type { Event } from '../bindings/Event';
import type { History } from '../bindings/History';
import type { Point } from '../bindings/Point';
import type { Range } from '../bindings/Range';
import type { Series } from '../bindings/Series';
import type { Status } from '../bindings/Status';
import { inBytes } from '../format';
import { DAY, HOUR, NOW } from './parts';

const SPANS: Record<Range, [seconds: number, step: number]> = {
  '1h': [HOUR, 60],
  '24h': [DAY, 60],
  '7d': [7 * DAY, 900],
  '30d': [30 * DAY, 900],
  '1y': [365 * DAY, 6 * HOUR],
};

/** What a scenario's past looks like. */
export interface Past {
  /** Days since the watching began. */
  days: number;
  /** When the sessions disk was emptied, in days before now. */
  emptied: number | null;
  /** A stretch in which the computer slept, in days before now. */
  asleep: [from: number, to: number] | null;
}

/** Repeatable, so that pictures can be compared. */
export function noise(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function historyOf(status: Status, past: Past, range: Range): History {
  const [seconds, step] = SPANS[range];
  const from = NOW - seconds;
  const events: Event[] = [];
  const series: Series[] = [];
  const begin = Math.max(from, NOW - past.days * DAY);

  const add = (id: string, name: string, unit: Series['unit'], now: number | null, limit: number | null, rate: number, jump: number | null, sparse: number) => {
    const random = noise(series.length + 7);
    const points: Point[] = [];
    if (now !== null) {
      for (let at = Math.ceil(begin / step) * step; at <= NOW; at += step * sparse) {
        const days = (NOW - at) / DAY;
        if (past.asleep !== null && days < past.asleep[0] && days > past.asleep[1]) continue;
        // Growth comes in working hours: the path bends, its ends stay.
        const bend = Math.sin(at / DAY * 2 * Math.PI) * rate * 0.06;
        let value = now - rate * days + bend - Math.sin(NOW / DAY * 2 * Math.PI) * rate * 0.06;
        if (jump !== null && days > jump) value = Math.min((limit ?? now) * 0.97, now * 0.99 - rate * (days - jump) * 0.9);
        value = Math.max(now * 0.02, value + (random() - 0.5) * now * 0.004);
        const half = step >= 900 ? Math.abs(rate) * (step / DAY) * (0.5 + random()) + now * 0.004 : 0;
        const last = days < step / DAY ? now : Math.round(value);
        points.push({ at, min: Math.max(0, Math.round(last - half)), max: Math.round(last + half * 0.6), last, count: 6 });
      }
    }
    series.push({ id, name, unit, limit, points });
  };

  for (const gauge of status.gauges) {
    const jump = gauge.kind === 'guest_sessions' && gauge.live ? past.emptied : null;
    const rate = gauge.forecast.rate_per_day ?? (gauge.used ?? 0) * 0.001;
    add(gauge.id, gauge.name, inBytes(gauge.kind) ? 'bytes' : 'entries', gauge.used, gauge.limit, rate, jump, 1);
    if (jump !== null && NOW - jump * DAY > begin) events.push({ at: Math.round(NOW - jump * DAY), id: gauge.id, kind: 'stepped_down' });
    if (NOW - past.days * DAY > from) events.push({ at: Math.round(NOW - past.days * DAY), id: gauge.id, kind: 'appeared' });
  }
  for (const meter of status.meters) {
    add(meter.id, meter.name, meter.kind === 'root_entries' ? 'entries' : 'bytes', meter.value, null, meter.rate_per_day ?? (meter.value ?? 0) * 0.02, null, step === 60 ? 10 : 1);
  }
  events.sort((a, b) => a.at - b.at);
  return { schema: 1, range, from, to: NOW, step, series, events };
}


// Where a gauge leads, in one line: its rate with a sign, and when it is full.

import type { GaugeStatus } from '../../bindings/GaugeStatus';
import type { Time } from '../../bindings/Time';
import { band, rate } from '../../format';
import { words } from '../../words';

const DAY = 86_400;

/** `+540 MB a day · full 2 to 4 Dec`, `steady`, `no forecast yet: too few measurements`. */
export function leads(gauge: GaugeStatus, now: Time): string | null {
  const { state, rate_per_day, full_at, earliest, latest, reason } = gauge.forecast;
  if (gauge.full) return words.forecast.fullNow;
  const inBytes = gauge.kind !== 'host_inodes';
  const soon = full_at !== null && full_at - now < 2 * DAY;
  const pace = rate_per_day === null ? null : rate(rate_per_day, inBytes, soon);
  switch (state) {
    case 'filling': {
      if (full_at === null) return pace;
      const when = words.forecast.full(band(earliest ?? full_at, latest, now));
      return pace === null ? when : words.join(pace, when);
    }
    case 'steady':
      return pace === null ? words.forecast.steady : words.join(pace, words.forecast.steady);
    case 'shrinking':
      return pace === null ? words.forecast.shrinking : words.join(pace, words.forecast.shrinking);
    case 'unknown':
      return reason === null ? null : words.forecast.none[reason];
  }
}

// Numbers and moments as a person reads them. The only place where the window turns a number into
// text; `decimal` prints exactly what Rust's `core::bytes::decimal` prints, and the tests hold the
// same table.

import type { GaugeKind } from './bindings/GaugeKind';
import type { GaugeStatus } from './bindings/GaugeStatus';
import type { Time } from './bindings/Time';
import { words } from './words';

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;

/** Bytes with three significant digits in decimal units: `0 B`, `8.24 GB`, `143 GB`. */
export function decimal(bytes: number): string {
  // Above 2^53 a number has no odd values left, which is below the third digit.
  const exact = BigInt(Math.max(0, Math.round(bytes)));
  if (exact < 1000n) return `${exact} B`;
  let unit = 1000n;
  for (const name of UNITS) {
    // The largest value this unit still prints in three digits is 999.5 units, exclusive.
    if (exact < (unit * 9995n) / 10n || name === 'EB') return `${threeDigits(exact, unit)} ${name}`;
    unit *= 1000n;
  }
  return `${exact} B`;
}

/** `bytes / unit` with three significant digits, rounded half up. */
function threeDigits(bytes: bigint, unit: bigint): string {
  for (const [decimals, scale, bound] of [
    [2, 100n, 10n],
    [1, 10n, 100n],
  ] as const) {
    const scaled = (bytes * scale + unit / 2n) / unit;
    if (scaled < bound * scale) {
      return `${scaled / scale}.${String(scaled % scale).padStart(decimals, '0')}`;
    }
  }
  return String((bytes + unit / 2n) / unit);
}

/** A label on an axis: `decimal` without digits that say nothing, `0`, `2 GB`, `2.5 GB`. */
export function tick(bytes: number): string {
  if (bytes === 0) return '0';
  return decimal(bytes).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');
}

/** A count with thousands separators: `185,541`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count in a sentence: `20,582`, `29.3 million`. */
export function counted(count: number): string {
  if (count < 999_500) return grouped(count);
  const millions = count / 1e6;
  return words.millions(millions < 1000 ? millions.toPrecision(3) : grouped(millions));
}

/** A count on an axis, where room is short: `250`, `20 k`, `1.5 M`. */
export function groupedTick(count: number): string {
  for (const [unit, name] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const) {
    const scale = name === 'k' ? 1e3 : unit;
    if (count >= unit) return `${Number((count / scale).toPrecision(3))} ${name}`;
  }
  return grouped(count);
}

/** Bytes or entries, for a sentence: a number and its unit stay on one line. */
export function amount(value: number, inBytes: boolean): string {
  return inBytes ? decimal(value).replace(' ', '\u00a0') : grouped(value);
}

/**
 * Percent of what is usable, as `core::words::percent` says it: cut, not rounded, so that 79.6 is not
 * 80 before the line at 80 is reached, and 100 is only what has nothing left.
 */
export function percent(gauge: Pick<GaugeStatus, 'percent' | 'available' | 'used'>): string {
  if (gauge.percent === null) return words.noNumber;
  const whole = Math.min(Math.floor(gauge.percent), gauge.available === 0 ? 100 : 99);
  return whole === 0 && (gauge.used ?? 0) > 0 ? words.underOne : words.percent(whole);
}

/** Whether a gauge counts bytes; the others count inodes. */
export const inBytes = (kind: GaugeKind) => !kind.endsWith('_inodes');

/** How far a system disk is from a fresh one of its release, as `core::words::fresh` says it. */
export function fresh({ baseline, used, available }: Pick<GaugeStatus, 'baseline' | 'used' | 'available'>): string | null {
  if (baseline === null || used === null || available === null) return null;
  const points = Math.round((Math.abs(used - baseline) / (used + available)) * 100);
  if (points === 0) return words.gauge.fresh;
  return used > baseline ? words.gauge.aboveFresh(words.percent(points)) : words.gauge.belowFresh(words.percent(points));
}

/** What came on top, `+540 MB`. */
export const more = (bytes: number) => `+${amount(bytes, true)}`;

/** A part of a whole as people say it: `about half`, `62 %`, `less than 1 %`. */
export function share(part: number, whole: number): string {
  const ratio = whole > 0 ? (part / whole) * 100 : 0;
  if (ratio >= 47 && ratio <= 53) return words.half;
  if (ratio >= 99.5) return words.all;
  return ratio < 1 ? words.underOne : words.percent(Math.round(ratio));
}

/** Rounds to two significant digits: a slope is never known better than that. */
function rough(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(2));
}

/** A signed rate, `+540 MB a day`; in hours where the matter is one of hours; null where it is nothing. */
export function rate(perDay: number, inBytes: boolean, perHour = false): string | null {
  const value = rough(Math.abs(perHour ? perDay / 24 : perDay));
  if (value < (inBytes ? 1000 : 1)) return null;
  const signed = (perDay < 0 ? '\u2212' : '+') + (inBytes ? tick(value).replace(' ', '\u00a0') : counted(value));
  return perHour ? words.rate.hour(signed) : words.rate.day(signed);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/**
 * How long ago, in one unit: `just now`, `3 min ago`, `2 h ago`, `4 days ago`. Never in seconds: a
 * number that counts them makes the web view draw all the time.
 */
export function ago(at: Time, now: Time): string {
  const seconds = Math.max(0, Math.round(now - at));
  if (seconds < MINUTE) return words.ago.now;
  if (seconds < HOUR) return words.ago.minutes(Math.floor(seconds / MINUTE));
  if (seconds < DAY) return words.ago.hours(Math.floor(seconds / HOUR));
  return words.ago.days(Math.floor(seconds / DAY));
}

/** How long something lasts: `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function lasting(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const { lasting: say } = words;
  if (whole < MINUTE) return say.seconds(whole);
  const [large, small] = whole < HOUR ? [say.minutes(Math.floor(whole / MINUTE)), whole % MINUTE] : [say.hours(Math.floor(whole / HOUR)), Math.floor((whole % HOUR) / MINUTE)];
  if (small === 0) return large;
  return say.both(large, whole < HOUR ? say.seconds(small) : say.minutes(small));
}

/** A piece of a sentence from Rust, standing alone: a capital and a full stop. */
export function sentence(text: string): string {
  const shown = visible(text.trim());
  if (shown === '') return '';
  const begun = shown.charAt(0).toLocaleUpperCase(words.locale) + shown.slice(1);
  return /[.!?…]$/.test(begun) ? begun : words.fullStop(begun);
}

type Style = Intl.DateTimeFormatOptions;
const DATE: Style = { day: 'numeric', month: 'short' };
const MONTH: Style = { month: 'short', year: 'numeric' };
const CLOCK: Style = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

/** Making a formatter costs more than using it a thousand times. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function written(at: Time, style: Style): string {
  const key = words.locale + JSON.stringify(style);
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat(words.locale, style);
    formatters.set(key, formatter);
  }
  return formatter.format(at * 1000);
}

let collator: Intl.Collator | null = null;

/** Orders names as people do: `s2` before `s10`. */
export function byName(a: string, b: string): number {
  collator ??= new Intl.Collator(words.locale, { numeric: true });
  return collator.compare(a, b);
}

/** `14:02`. */
export const clock = (at: Time) => written(at, CLOCK);
/** `2 Dec`. */
export const date = (at: Time) => written(at, DATE);
/** `Dec 2026`. */
export const month = (at: Time) => written(at, MONTH);
/** `2 Dec 2026, 14:02`, for tables and tooltips. */
export const moment = (at: Time) => written(at, { ...DATE, year: 'numeric', ...CLOCK });

const sameDay = (a: Time, b: Time) =>
  written(a, { ...DATE, year: 'numeric' }) === written(b, { ...DATE, year: 'numeric' });

/** A moment near now as a person says it: `14:02`, `tomorrow 14:02`, `2 Dec, 14:02`. */
export function near(at: Time, now: Time): string {
  if (sameDay(at, now)) return clock(at);
  if (sameDay(at, now + DAY)) return words.dates.tomorrow(clock(at));
  return words.dates.dayAndClock(date(at), clock(at));
}

/** A moment that has passed, as a person says it: `today 14:02`, `yesterday 18:40`, `12 Nov`, `Nov 2025`. */
export function past(at: Time, now: Time, withClock = true): string {
  // The disk's own way to say that it does not know.
  if (at <= 0) return words.dates.unknown;
  if (sameDay(at, now)) return withClock ? words.dates.todayAt(clock(at)) : words.dates.today;
  if (sameDay(at, now - DAY)) return withClock ? words.dates.yesterdayAt(clock(at)) : words.dates.yesterday;
  return now - at < 300 * DAY && at < now ? date(at) : month(at);
}

/** From when on, in a sentence: `since 09:10`, `since yesterday`, `since 27 Nov`. */
export function since(at: Time, now: Time): string {
  if (sameDay(at, now)) return words.dates.since(clock(at));
  return words.dates.since(sameDay(at, now - DAY) ? words.dates.yesterday : date(at));
}

/** A span of days, no finer than it is known: `2 to 4 Dec`, `30 Nov to 2 Dec`, `May to Aug 2027`. */
export function band(earliest: Time, latest: Time | null, now: Time): string {
  if (latest === null) return words.dates.orLater(far(earliest, now) ? month(earliest) : date(earliest));
  if (latest - now < 36 * HOUR) {
    const [from, to] = [near(earliest, now), near(latest, now)];
    return from === to ? from : words.dates.span(from, sameDay(earliest, latest) ? clock(latest) : to);
  }
  if (far(latest, now)) {
    const [from, to] = [month(earliest), month(latest)];
    if (from === to) return to;
    const sameYear = written(earliest, { year: 'numeric' }) === written(latest, { year: 'numeric' });
    return words.dates.span(sameYear ? written(earliest, { month: 'short' }) : from, to);
  }
  if (sameDay(earliest, latest)) return date(latest);
  const sameMonth = month(earliest) === month(latest);
  return words.dates.span(sameMonth ? written(earliest, { day: 'numeric' }) : date(earliest), date(latest));
}

/** More than two months away: a day would be a pretence. */
const far = (at: Time, now: Time) => at - now > 60 * DAY;

/** What would break a line, hide a letter or turn the writing direction is shown, not obeyed. */
export function visible(name: string): string {
  return name.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (odd) => {
      if (odd === '\n') return '\\n';
      if (odd === '\t') return '\\t';
      if (odd === '\r') return '\\r';
      return `\\u{${odd.codePointAt(0)?.toString(16) ?? ''}}`;
    },
  );
}

/**
 * Cuts a path in two where it may be shortened: the end of it, which says most, stays whole, as far
 * as `keep` letters.
 */
export function halves(path: string, keep = 28): [head: string, tail: string] {
  const shown = visible(path);
  if (shown.length <= keep) return ['', shown];
  const separator = Math.max(shown.lastIndexOf('/', shown.length - 2), shown.lastIndexOf('\\', shown.length - 2));
  const from = separator > 0 && shown.length - separator <= keep ? separator : shown.length - Math.round((keep * 5) / 7);
  // Never between the two halves of one letter.
  const cut = /[\udc00-\udfff]/.test(shown.charAt(from)) ? from - 1 : from;
  return [shown.slice(0, cut), shown.slice(cut)];
}

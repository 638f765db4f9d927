import { describe, expect, test } from 'vitest';

import { ago, amount, band, byName, counted, decimal, fresh, grouped, groupedTick, halves, lasting, more, near, past, percent, rate, sentence, share, since, tick, visible } from './format';

const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const NOW = at('2026-11-29T13:12:00');
const DAY = 86_400;

describe('sizes', () => {
  // The table of `core::bytes::tests`: the window and the command line print the same digits.
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [1049, '1.05 kB'],
    [9_994_999, '9.99 MB'],
    [9_995_000, '10.0 MB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [6_800_000, '6.80 MB'],
    [8_240_000_000, '8.24 GB'],
    [143_400_000_000, '143 GB'],
    [1_400_000_000_000, '1.40 TB'],
    [2 ** 64, '18.4 EB'],
  ])('%d bytes are %s', (bytes, text) => expect(decimal(bytes)).toBe(text));

  test('a size below zero cannot be, and is shown as none', () => expect(decimal(-5)).toBe('0 B'));

  test('a number and its unit are not torn apart in a sentence', () =>
    expect(amount(8_240_000_000, true)).toBe('8.24\u00a0GB'));

  test.each([
    [0, '0'],
    [2_000_000_000, '2 GB'],
    [2_500_000_000, '2.5 GB'],
    [10_000_000_000, '10 GB'],
    [100_000_000_000, '100 GB'],
    [1_250_000, '1.25 MB'],
  ])('%d on an axis is %s', (bytes, text) => expect(tick(bytes)).toBe(text));
});

describe('counts', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [185_541, '185,541'],
    [1_048_576, '1,048,576'],
  ])('%d is %s', (count, text) => expect(grouped(count)).toBe(text));

  test.each([
    [20_582, '20,582'],
    [999_499, '999,499'],
    [29_316_559, '29.3 million'],
    [4_294_967_296, '4,295 million'],
  ])('%d in a sentence is %s', (count, text) => expect(counted(count)).toBe(text));

  test.each([
    [250, '250'],
    [5000, '5,000'],
    [20_000, '20 k'],
    [1_500_000, '1.5 M'],
    [30_000_000, '30 M'],
  ])('%d on an axis is %s', (count, text) => expect(groupedTick(count)).toBe(text));
});

test('percents are cut as Rust cuts them, and only what has nothing left is 100', () => {
  const said = (value: number | null, available = 5, used = 5) => percent({ percent: value, available, used });
  expect(said(79.6)).toBe('79 %');
  expect(said(99.97)).toBe('99 %');
  expect(said(100, 0)).toBe('100 %');
  expect(said(0.2)).toBe('<1 %');
  expect(said(0, 5, 0)).toBe('0 %');
  expect(said(null)).toBe('?');
});

describe('rates', () => {
  test('carry their sign and no more digits than they are known to', () => {
    expect(rate(541_234_567, true)).toBe('+540\u00a0MB a day');
    expect(rate(-2_000_000, true)).toBe('\u22122\u00a0MB a day');
    expect(rate(4248, false)).toBe('+4,200 a day');
  });
  test('are told by the hour where hours matter', () => expect(rate(70e9, true, true)).toBe('+2.9\u00a0GB an hour'));
  test('that are nothing are not told', () => {
    expect(rate(300, true)).toBeNull();
    expect(rate(0.4, false)).toBeNull();
    expect(rate(0, true)).toBeNull();
  });
});

describe('moments', () => {
  test.each([
    [2, 'just now'],
    [12, 'just now'],
    [200, '3 min ago'],
    [7300, '2 h ago'],
    [DAY, '1 day ago'],
    [4 * DAY, '4 days ago'],
    [-30, 'just now'],
  ])('%d seconds before now is %s', (before, text) => expect(ago(NOW - before, NOW)).toBe(text));

  test.each([
    ['2026-11-29T15:00:00', '15:00'],
    ['2026-11-30T09:05:00', 'tomorrow 09:05'],
    ['2026-12-02T00:00:00', '2 Dec, 00:00'],
  ])('%s is said as %s', (moment, text) => expect(near(at(moment), NOW)).toBe(text));
});

describe('a span in which something is full', () => {
  test.each([
    ['2026-12-02T08:00:00', '2026-12-04T20:00:00', '2 to 4 Dec'],
    ['2026-12-02T08:00:00', '2026-12-02T20:00:00', '2 Dec'],
    ['2026-11-30T23:00:00', '2026-12-02T12:00:00', '30 Nov to 2 Dec'],
    ['2026-11-29T14:24:00', '2026-11-29T15:21:00', '14:24 to 15:21'],
    ['2026-11-29T22:00:00', '2026-11-30T03:00:00', '22:00 to tomorrow 03:00'],
    ['2026-11-30T01:00:00', '2026-11-30T03:00:00', 'tomorrow 01:00 to 03:00'],
    ['2027-05-01T00:00:00', '2027-08-10T00:00:00', 'May to Aug 2027'],
    ['2026-12-20T00:00:00', '2027-03-10T00:00:00', 'Dec 2026 to Mar 2027'],
    ['2027-05-01T00:00:00', '2027-05-30T00:00:00', 'May 2027'],
  ])('%s to %s is %s', (earliest, latest, text) => expect(band(at(earliest), at(latest), NOW)).toBe(text));

  test('without an end says from when', () => {
    expect(band(at('2026-12-02T08:00:00'), null, NOW)).toBe('2 Dec or later');
    expect(band(at('2027-03-02T08:00:00'), null, NOW)).toBe('Mar 2027 or later');
  });
});

describe('what has passed', () => {
  test.each([
    ['2026-11-29T09:10:00', 'today 09:10', 'today', 'since 09:10'],
    ['2026-11-28T18:40:00', 'yesterday 18:40', 'yesterday', 'since yesterday'],
    ['2026-11-12T00:00:00', '12 Nov', '12 Nov', 'since 12 Nov'],
    ['2025-11-12T00:00:00', 'Nov 2025', 'Nov 2025', 'since 12 Nov'],
  ])('%s is %s', (then, full, day, from) => {
    expect(past(at(then), NOW)).toBe(full);
    expect(past(at(then), NOW, false)).toBe(day);
    expect(since(at(then), NOW)).toBe(from);
  });
  test('is unknown where the disk has no time, and dated where its clock was ahead', () => {
    expect(past(0, NOW)).toBe('unknown');
    expect(past(at('2027-03-01T00:00:00'), NOW)).toBe('Mar 2027');
  });
});

describe('parts', () => {
  test.each([
    [50, 'about half'],
    [20, '20 %'],
    [0.2, '<1 %'],
    [99.9, 'all'],
  ])('%d of a hundred is %s', (part, text) => expect(share(part, 100)).toBe(text));
  test('of nothing are none', () => expect(share(0, 0)).toBe('<1 %'));
  test('that came on top have a sign', () => expect(more(540_000_000)).toBe('+540\u00a0MB'));
});

describe('names', () => {
  test('are ordered as people count', () => expect(['s10', 's2', 'S1'].sort(byName)).toEqual(['S1', 's2', 's10']));
  test('are cut shorter where there is less room', () => {
    expect(halves('relaxed-relaxed-hamilton', 12)).toEqual(['relaxed-relaxed', '-hamilton']);
    expect(halves('short name', 12)).toEqual(['', 'short name']);
  });
  test('show what would break a line or turn the writing', () => {
    expect(visible('a\nb\tc')).toBe('a\\nb\\tc');
    expect(visible('\u202egnp.exe')).toBe('\\u{202e}gnp.exe');
    expect(visible('\u001b[31m')).toBe('\\u{1b}[31m');
    expect(visible('Käse 日本 🙂')).toBe('Käse 日本 🙂');
  });
  test('are cut where the last part begins, and lose nothing', () => {
    const path = '/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/claude-501';
    expect(halves(path)).toEqual([path.slice(0, -11), '/claude-501']);
    expect(halves('/tmp')).toEqual(['', '/tmp']);
    const odd = `/${'🙂'.repeat(40)}`;
    expect(halves(odd).join('')).toBe(odd);
    expect(halves(odd)[1]).not.toMatch(/^[\udc00-\udfff]/);
  });
});

describe('a system disk beside a fresh one of its release', () => {
  // The table of `core::words::tests`: the window and the command line say the same.
  test.each([
    [8.6e9, 8.6e9, 'as full as a fresh one'],
    [8.64e9, 8.6e9, 'as full as a fresh one'],
    [8.9e9, 8.6e9, '3 % above a fresh one'],
    [6.9e9, 8.6e9, '17 % below a fresh one'],
  ])('of %d bytes used, %d of them when fresh, is %s', (used, baseline, text) => {
    expect(fresh({ used, baseline, available: 10e9 - used })).toBe(text);
  });
  test('is told by nothing where either is not known', () => {
    expect(fresh({ used: 8.6e9, baseline: null, available: 1e9 })).toBeNull();
    expect(fresh({ used: null, baseline: 8.6e9, available: null })).toBeNull();
  });
});

describe('how long', () => {
  test.each([
    [0, '0 s'],
    [-3, '0 s'],
    [12, '12 s'],
    [60, '1 min'],
    [75, '1 min 15 s'],
    [3600, '1 h'],
    [7_500, '2 h 5 min'],
  ])('%d seconds are %s', (seconds, text) => expect(lasting(seconds)).toBe(text));
});

describe('a piece of a sentence', () => {
  test.each([
    ['neither disk is filling up', 'Neither disk is filling up.'],
    ['Done.', 'Done.'],
    [' what now? ', 'What now?'],
    ['odd\nname', 'Odd\\nname.'],
    ['', ''],
  ])('%j stands alone as %j', (text, whole) => expect(sentence(text)).toBe(whole));
});

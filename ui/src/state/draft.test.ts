import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { clearMocks } from '../ipc';
import { type Backend, install } from '../mocks/install';
import { scenarios } from '../mocks/scenarios';
import { check, Draft, FIELDS, parse } from './draft.svelte';

let backend: Backend;
let draft: Draft;

beforeEach(async () => {
  backend = install(scenarios.fine);
  draft = new Draft();
  await draft.load();
});
afterEach(clearMocks);

const sent = () => backend.calls.filter(({ command }) => command === 'save_settings').map(({ args }) => args.patch);

test('numbers are read as people write them', () => {
  expect([parse('1.5'), parse(' 1,5 '), parse('15'), parse('.5')]).toEqual([1.5, 1.5, 15, 0.5]);
  for (const text of ['', 'lots', '1.5.2', '-3', '1e9', '0x10', '1 000']) expect(parse(text), text).toBeNaN();
});

test('gigabytes are stored as bytes, and what was not touched keeps its own', async () => {
  draft.typed.host_low_available = '12,5';
  expect(await draft.save()).toBe(true);
  expect(sent()).toEqual([{ thresholds: { ...scenarios.fine.settings.thresholds, host_low_available: 12_500_000_000 } }]);
  expect(draft.dirty).toBe(false);
  expect(draft.typed.host_low_available).toBe('12.5');
});

test('only what differs is sent', async () => {
  draft.notifications = false;
  draft.typed.daily_notices = '2';
  await draft.save();
  expect(sent()).toEqual([{ notifications: false, daily_notices: 2 }]);
});

describe('what was typed is never lost', () => {
  test('when it is wrong', async () => {
    draft.typed.low_days = 'soon';
    expect(await draft.save()).toBe(false);
    expect(draft.typed.low_days).toBe('soon');
    expect(sent()).toEqual([]);
  });
  test('when it cannot be stored, and why is said in Rust’s words', async () => {
    backend.refuse = 'write /home/ada/.config/sandtray/settings.toml: No space left on device';
    draft.typed.low_days = '9';
    expect(await draft.save()).toBe(false);
    expect(draft.saveFailure).toContain('No space left');
    expect(draft.typed.low_days).toBe('9');
    backend.refuse = null;
    expect(await draft.save()).toBe(true);
    expect(draft.view?.thresholds.low_days).toBe(9);
  });
  test('when a folder is added meanwhile', async () => {
    draft.typed.low_days = '9';
    draft.autostart = true;
    await draft.addFolder('root');
    expect(draft.view?.folders).toHaveLength(3);
    expect([draft.typed.low_days, draft.autostart]).toEqual(['9', true]);
  });
  test('when the panel is opened again', async () => {
    draft.typed.low_days = '9';
    await draft.load();
    expect(draft.typed.low_days).toBe('9');
  });
  test('when the user goes on typing while it is stored', async () => {
    draft.typed.low_days = '9';
    const saved = draft.save();
    draft.typed.low_days = '91';
    await saved;
    expect(draft.typed.low_days).toBe('91');
    expect(draft.dirty).toBe(true);
  });
});

test('when leftovers are cleaned is sent as a whole, and only where it differs', async () => {
  draft.whenCritical = true;
  draft.typed.leftovers_days = '30';
  expect(draft.dirty).toBe(true);
  await draft.save();
  draft.notifications = false;
  await draft.save();
  expect(sent()).toEqual([{ leftovers: { schedule: false, hours: 24, when_critical: true, discard_after_days: 30 } }, { notifications: false }]);
  draft.schedule = true;
  draft.discard();
  expect([draft.schedule, draft.whenCritical, draft.typed.leftovers_days, draft.dirty]).toEqual([false, true, '30', false]);
});

test('discarding and the defaults do what they say', async () => {
  draft.typed.sessions_low_percent = '60';
  draft.autostart = true;
  draft.discard();
  expect([draft.typed.sessions_low_percent, draft.autostart, draft.dirty]).toEqual(['80', false, false]);
  draft.typed.sessions_low_percent = '60';
  await draft.save();
  expect(draft.unusual).toBe(true);
  draft.defaults();
  expect([draft.typed.sessions_low_percent, draft.dirty]).toEqual(['80', true]);
});

test('a folder is named by its id alone', async () => {
  await draft.removeFolder('f1');
  expect(backend.calls.at(-1)).toEqual({ command: 'remove_folder', args: { id: 'f1' } });
  expect(draft.view?.folders.map(({ id }) => id)).toEqual(['f2']);
});

describe('lines that contradict each other are pointed at', () => {
  const typed = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, ''])) as typeof draft.typed;
  const good = () => ({ ...typed, ...draft.typed });

  test.each([
    ['sessions_low_percent', '91', 'sessions_critical_percent'],
    ['sessions_critical_percent', '100', 'sessions_full_percent'],
    ['system_critical_available', '1.1', 'system_critical_available'],
    ['host_critical_available', '20', 'host_critical_available'],
    ['inodes_low_percent', '99', 'inodes_critical_percent'],
    ['critical_hours', '169', 'critical_hours'],
    ['low_days', '256', 'low_days'],
    ['low_days', '2.5', 'low_days'],
    ['daily_notices', '256', 'daily_notices'],
    ['leftovers_hours', '0', 'leftovers_hours'],
    ['leftovers_hours', '721', 'leftovers_hours'],
    ['leftovers_days', '3651', 'leftovers_days'],
    ['leftovers_days', '-1', 'leftovers_days'],
    ['sessions_low_percent', '101', 'sessions_low_percent'],
    ['host_low_available', '', 'host_low_available'],
  ] as const)('%s of “%s”: %s', (field, text, blamed) => {
    expect(Object.keys(check({ ...good(), [field]: text }))).toEqual([blamed]);
  });
  test('and good ones are not, nor are those Rust takes: equal, or switched off', () => {
    expect(check(good())).toEqual({});
    expect(check({ ...good(), leftovers_hours: '720', leftovers_days: '3650' })).toEqual({});
    expect(check({ ...good(), sessions_low_percent: '90', low_days: '0', critical_hours: '0', system_critical_available: '0' })).toEqual({});
  });
});

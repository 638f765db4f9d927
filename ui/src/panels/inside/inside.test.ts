// The Inside panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../../App.svelte';
import { clearMocks, emit } from '../../ipc';
import { type Backend, install } from '../../mocks/install';
import { NOW } from '../../mocks/parts';
import { copying, failed, refusedForName, refusedForRoom, rescued, rescuedPartly } from '../../mocks/rescues';
import { type Scenario, scenarios } from '../../mocks/scenarios';
import { soon } from '../../../tests/limits';

vi.mock('../../chart/draw', () => ({
  draw: () => ({ update() {}, resize() {}, recolor() {}, stress() {}, read() {}, destroy() {} }),
}));

const SESSIONS = 'guest_sessions:c0ffee';
let backend: Backend;

const asked = (command: string) => backend.calls.filter((call) => call.command === command).map(({ args }) => args);
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const said = (box: HTMLElement | null = document.body) => (box?.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
const rows = () => screen.getAllByRole('row').slice(1);
const names = () => rows().map((row) => said(within(row).getByRole('rowheader')).replace(/ ?recent/, '').trim());
const box = (at: number) => within(rows()[at]!).getByRole('checkbox') as HTMLInputElement;

async function open(scenario: Scenario, headline: string | RegExp = /./) {
  backend = install(structuredClone(scenario));
  render(App);
  await screen.findByRole('heading', { level: 1 });
  if (scenario.status !== null) await screen.findByRole('heading', { name: scenario.status.summary });
  await press(/^Inside/);
  await screen.findByRole('heading', { level: 1, name: headline });
}
const openLow = () => open(scenarios.low, /^1,634 sessions hold 8\.20.GB of 9\.30.GB/);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW * 1000 });
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  clearMocks();
  vi.useRealTimers();
});

describe('the way in', () => {
  test('is on the side, with the number of sessions', async () => {
    await openLow();
    expect(screen.getByRole('button', { name: 'Inside 1,634 sessions' }).getAttribute('aria-current')).toBe('page');
    expect(asked('inside')).toEqual([{ disk: SESSIONS, folder: null }]);
  });
  test('is the headline’s button where a guest’s disk is the trouble', async () => {
    backend = install(scenarios.low);
    render(App);
    await press('See what is inside');
    expect(await screen.findByRole('heading', { name: /^1,634 sessions hold/ })).toBeTruthy();
  });
  test('is not offered where something else is', async () => {
    backend = install(scenarios.huge);
    render(App);
    expect(await screen.findByRole('button', { name: 'See what takes the space' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'See what is inside' })).toBeNull();
  });
  test('leads back to what was shown, without reading it again', async () => {
    await openLow();
    await userEvent.click(box(0));
    await press('Overview');
    await press(/^Inside/);
    expect(asked('inside')).toHaveLength(1);
    expect(box(0).checked).toBe(true);
  });
});

describe('what is said', () => {
  test('is what fills the disk and what grew', async () => {
    await openLow();
    expect(said()).toContain('the ten largest hold 20 % of it');
    expect(said()).toMatch(/\+312 MB since yesterday, 278 MB of it in 3 new sessions/);
    expect(said()).toContain('2 earlier sessions are gone, with 31.0 MB.');
  });
  test('are three sizes and why they differ', async () => {
    await openLow();
    const sizes = screen.getByRole('region', { name: 'Three sizes of one disk' });
    for (const part of ['Length of the image 10.7 GB', 'On this computer 8.54 GB', 'Used in the sandbox 8.20 GB of 9.30 GB', 'Only a reset of this disk gives them back']) {
      expect(said(sizes).replace('image10', 'image 10')).toContain(part);
    }
    expect(said(sizes)).toContain('Deleted but still open in the sandbox: 3 files, 1.20 GB. The space comes back when the sandbox restarts.');
  });
  test('of an unknown size is no zero', async () => {
    await open(scenarios.bundles, /^1,634/);
    await userEvent.click(screen.getByRole('radio', { name: /Claude-3p/ }));
    await screen.findByRole('heading', { name: /^4 sessions hold/ });
    expect(said()).toContain('not known now');
    expect(said()).toContain('no earlier reading is kept yet');
    expect(asked('inside').at(-1)).toEqual({ disk: 'guest_sessions:beef', folder: null });
  });
  test('of a damaged disk is “at least”, with what is missing', async () => {
    await open(scenarios.damaged, /^212 sessions hold at least 3\.40.GB/);
    expect(screen.getByText(/^1,417 parts of the disk could not be read/)).toBeTruthy();
    expect(said()).toContain('and 1,317 more');
    expect(said()).toContain('Found in no folder that could be read: 5,204 files');
  });
  test('of an empty disk is calm', async () => {
    await open(scenarios.emptied, 'There are no sessions on this disk');
    expect(screen.queryByRole('grid')).toBeNull();
    expect(screen.getByRole('button', { name: 'Inside 0 sessions' })).toBeTruthy();
  });
  test('without a disk is where to look, and nothing is asked', async () => {
    await open(scenarios.nothing, 'No sandbox disk was found on this computer');
    expect(asked('inside')).toEqual([]);
    await press('Add a folder in Settings');
    expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeTruthy();
  });
});

describe('the table', () => {
  test('holds twenty thousand rows and draws those near the window', async () => {
    await open(scenarios.many, /^20,000 sessions/);
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('20001');
    expect(rows().length).toBeLessThan(80);
    expect(rows()[0]?.getAttribute('aria-rowindex')).toBe('2');
  });
  test('shows names as they are, and obeys none', async () => {
    await open(scenarios.many, /^20,000 sessions/);
    expect(said()).toContain('line\\nbreak and a\\ttab');
    expect(document.body.textContent).not.toContain('\u202e');
  });
  test('is sorted by a press on a column, and the other way by the next', async () => {
    await openLow();
    const head = (name: string) => screen.getByRole('columnheader', { name });
    const before = names();
    expect(head('Size').getAttribute('aria-sort')).toBe('descending');
    await press('Name');
    expect(names()).toEqual([...names()].sort((a, b) => a.localeCompare(b)));
    await press('Name');
    expect(head('Name').getAttribute('aria-sort')).toBe('descending');
    await press('Last change');
    expect(said(rows()[0])).toContain('today');
    await press('Grew');
    expect(said(rows()[0])).toContain('new');
    await press('Size');
    expect(names()).toEqual(before);
  });
  test('is searched without regard to case, and says what it does not find', async () => {
    await openLow();
    await userEvent.type(screen.getByRole('searchbox'), 'CURIE');
    expect(names().every((name) => name.includes('curie'))).toBe(true);
    expect(said()).toMatch(/\d+ of 1,634/);
    await userEvent.type(screen.getByRole('searchbox'), ' not there');
    expect(screen.getByText('No name contains “CURIE not there”.')).toBeTruthy();
  });
  test('shows what grew alone', async () => {
    await openLow();
    await press('Show all 9 in the table');
    expect(rows()).toHaveLength(9);
    expect(rows().filter((row) => said(row).includes('new'))).toHaveLength(3);
  });
  test('is moved through, chosen from and opened by the keyboard', async () => {
    await openLow();
    rows()[0]!.focus();
    await userEvent.keyboard('{ArrowDown}{ArrowDown} ');
    await soon(() => expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('4'));
    expect(box(2).checked).toBe(true);
    await userEvent.keyboard('{Home}{Enter}');
    await screen.findByRole('heading', { name: /^This session holds/ });
    expect(asked('inside').at(-1)).toEqual({ disk: SESSIONS, folder: 's00000' });
  });
  test('is one stop for Tab, not one a row', async () => {
    await openLow();
    expect(document.querySelectorAll('[role="row"][tabindex="0"]')).toHaveLength(1);
    expect([...document.querySelectorAll<HTMLElement>('[role="row"] [role="gridcell"] input, [role="row"] .open')].every((stop) => stop.tabIndex === -1)).toBe(true);
  });
  test('chooses a stretch with Shift, and all that match', async () => {
    await openLow();
    const user = userEvent.setup();
    await user.click(box(1));
    await user.keyboard('{Shift>}');
    await user.click(box(4));
    await user.keyboard('{/Shift}');
    expect([0, 1, 2, 3, 4, 5].map((at) => box(at).checked)).toEqual([false, true, true, true, true, false]);
    await userEvent.type(screen.getByRole('searchbox'), 'curie');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Choose all that are shown' }));
    await userEvent.clear(screen.getByRole('searchbox'));
    expect(box(0).checked).toBe(names()[0]!.includes('curie'));
  });
});

describe('folders', () => {
  test('are opened by id, and left by the way back', async () => {
    await openLow();
    await userEvent.click(box(1));
    await press(/^Open relaxed-upbeat-lamarr/);
    await press('Open outputs');
    await screen.findByRole('heading', { name: /^This folder holds/ });
    const way = screen.getByRole('navigation', { name: 'Where this is' });
    await userEvent.click(within(way).getByRole('button', { name: 'relaxed-upbeat-lamarr' }));
    await screen.findByRole('heading', { name: /^This session holds/ });
    expect(screen.getByText('Choose files and folders to copy them to a folder of yours. Nothing on the disk changes.')).toBeTruthy();
    await press('Up one folder');
    await screen.findByRole('heading', { name: /^1,634/ });
    expect(asked('inside').map(({ folder }) => folder)).toEqual([null, 's00000', 's00000-out', 's00000', null]);
    expect(box(1).checked).toBe(true);
  });
  test('that are gone say so, keep what is shown, and lead to a new reading', async () => {
    await openLow();
    await userEvent.click(within(rows()[1]!).getByRole('button', { name: /^Open/ }));
    const alert = await screen.findByRole('alert');
    expect(said(alert)).toContain('it is no longer on the disk');
    expect(screen.getByRole('heading', { name: /^1,634/ })).toBeTruthy();
    await press('Read the disk again');
    expect(asked('inside').at(-1)).toEqual({ disk: SESSIONS, folder: null });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('reading', () => {
  test('says how much it saw, and stops when asked', async () => {
    await open(scenarios.first, 'Reading the sessions disk');
    expect(await screen.findByText('48,211 files and folders so far')).toBeTruthy();
    await emit('inside-progress', { disk: 'guest_system:c0ffee', entries: 1 });
    await emit('inside-progress', { disk: SESSIONS, entries: 60_000 });
    expect(await screen.findByText('60,000 files and folders so far')).toBeTruthy();
    await press('Stop reading');
    expect(asked('cancel_inside')).toHaveLength(1);
    expect(await screen.findByRole('heading', { name: 'Reading was stopped' })).toBeTruthy();
    expect(said()).not.toContain('There are no sessions');
  });
  test('again, stopped, leaves what was known', async () => {
    await openLow();
    backend.insides[SESSIONS]!.hangs = 7;
    await press('Read again');
    await press('Stop reading');
    expect(await screen.findByText('Stopped. What is shown was read 3 min ago.')).toBeTruthy();
    expect(screen.getByRole('heading', { name: /^1,634/ })).toBeTruthy();
  });
  test('makes way for another disk, and its late answer is not shown', async () => {
    await open({ ...scenarios.low, insides: { ...scenarios.low.insides, [SESSIONS]: scenarios.first.insides[SESSIONS]! } }, 'Reading the sessions disk');
    await userEvent.click(screen.getByRole('radio', { name: 'System disk' }));
    expect(await screen.findByRole('heading', { name: /^13 items hold .*; usr holds 61.% of it/ })).toBeTruthy();
    expect(asked('cancel_inside')).toHaveLength(1);
  });
  test('that cannot be done says what Rust said and what to do, and is tried again', async () => {
    await open(scenarios.unknown, 'The sessions disk cannot be read now');
    expect(said()).toContain('Quit Claude, or try again when Cowork is quiet.');
    expect(said(await screen.findByRole('alert'))).toContain('another process has it open (os error 32)');
    backend.insides[SESSIONS] = structuredClone(scenarios.low.insides[SESSIONS]!);
    await press('Try again');
    expect(await screen.findByRole('heading', { name: /^1,634/ })).toBeTruthy();
  });
});

describe('a rescue', () => {
  const choose = async (ends: NonNullable<Backend['insides'][string]['rescue']> | null) => {
    await openLow();
    backend.insides[SESSIONS]!.rescue = ends;
    for (const at of [0, 2, 3]) await userEvent.click(box(at));
    expect(said()).toContain('3 sessions chosen, 657 MB');
    expect(said()).toContain('Copies them to a folder you choose. Nothing on the disk changes.');
  };

  test('waits for a choice', async () => {
    await openLow();
    expect((screen.getByRole('button', { name: 'Rescue…' }) as HTMLButtonElement).disabled).toBe(true);
  });
  test('sends ids and never a path', async () => {
    await choose(rescued);
    await press('Rescue 3 sessions…');
    expect(asked('rescue')).toEqual([{ disk: SESSIONS, entries: ['s00000', 's00002', 's00003'] }]);
    expect(JSON.stringify(backend.calls)).not.toMatch(/lamarr|\/home|\/sessions/);
  });
  test('that went well says what came out and where, and the choice is done with', async () => {
    await choose(rescued);
    await press('Rescue 3 sessions…');
    const title = await screen.findByRole('heading', { name: '3 sessions were copied' });
    await soon(() => expect(document.activeElement).toBe(title));
    expect(said()).toContain('4,120 files and 391 folders · 12 links · 791 MB written');
    expect(said()).toContain('Into /home/ada/Documents/From the sandbox, November 2026');
    expect(box(0).checked).toBe(false);
    await press('Close');
    expect(screen.queryByRole('heading', { name: '3 sessions were copied' })).toBeNull();
  });
  test('with parts missing names each and why, and keeps the choice', async () => {
    await choose(rescuedPartly);
    await press('Rescue 3 sessions…');
    await screen.findByRole('heading', { name: '3 sessions were copied, but not all of it' });
    for (const part of ['3 could not be copied whole', 'write file: File too large (os error 27)', '214 entries left out', 'A link that leads out of what was copied', 'Encrypted: its key is only in the sandbox', 'and 210 more', '2 have another name in the folder', 'what: a\\nname?', '402 keep their content but not mode or time']) {
      expect(said()).toContain(part);
    }
    expect(box(0).checked).toBe(true);
  });
  test('shows how far it is, and stops when asked', async () => {
    await choose(copying);
    await press('Rescue 3 sessions…');
    const bar = await screen.findByRole('progressbar');
    expect(bar.getAttribute('aria-valuetext')?.replaceAll('\u00a0', ' ')).toBe('312 MB of about 657 MB · 1,204 of 19,176 entries');
    await emit('rescue-progress', { disk: 'another', entries: 1, written: 1 });
    await tick();
    expect(said()).toContain('1,204 of 19,176');
    await press('Stop copying');
    expect(asked('cancel_rescue')).toHaveLength(1);
    expect(await screen.findByRole('heading', { name: 'Stopped before all was copied' })).toBeTruthy();
    expect(said()).toContain('What came out until then stays in the folder.');
  });
  test('without a folder chosen changes nothing', async () => {
    await choose(null);
    await press('Rescue 3 sessions…');
    expect(await screen.findByRole('button', { name: 'Rescue 3 sessions…' })).toBeTruthy();
    expect(screen.queryByText('Nothing was copied')).toBeNull();
  });
  test.each([
    ['no room', refusedForRoom, '8.20 GB are needed, 1.10 GB are available there.'],
    ['a name that is taken', refusedForName, '/home/ada/Documents/brave-calm-curie'],
  ])('refused for %s says what to do, and can be sent elsewhere', async (_, refusal, text) => {
    await choose(refusal);
    await press('Rescue 3 sessions…');
    await screen.findByRole('button', { name: 'Choose another folder…' });
    expect(said()).toContain(text);
    expect(said()).toContain('Nothing was copied');
    backend.insides[SESSIONS]!.rescue = rescued;
    await press('Choose another folder…');
    expect(await screen.findByRole('heading', { name: '3 sessions were copied' })).toBeTruthy();
  });
  test('that could not begin says what Rust said', async () => {
    await choose(failed);
    await press('Rescue 3 sessions…');
    await screen.findByRole('heading', { name: 'Nothing was copied' });
    expect(said()).toContain('the disk is no longer there; read it again');
  });
});

// The Leftovers panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../../App.svelte';
import { clearMocks, emit } from '../../ipc';
import * as cleans from '../../mocks/cleans';
import { type Backend, install } from '../../mocks/install';
import { candidate, heavy, outputs, still, view, worktrees } from '../../mocks/leftovers';
import { NOW } from '../../mocks/parts';
import { type Scenario, scenarios } from '../../mocks/scenarios';
import { soon } from '../../../tests/limits';

vi.mock('../../chart/draw', () => ({
  draw: () => ({ update() {}, resize() {}, recolor() {}, stress() {}, read() {}, destroy() {} }),
}));

let backend: Backend;

const asked = (command: string) => backend.calls.filter((call) => call.command === command).map(({ args }) => args);
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const said = (box: HTMLElement = document.body) => (box.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
const headline = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });
const kind = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const rows = () => within(screen.getByRole('grid')).getAllByRole('row');
const boxes = () => within(screen.getByRole('grid')).getAllByRole<HTMLInputElement>('checkbox');
const AUTOMATIC = ['g-overlay', 'g-addon', 'g-empty', 'g-mux'];

async function open(scenario: Scenario, title: string | RegExp) {
  backend = install(structuredClone(scenario));
  render(App);
  if (scenario.status !== null) await screen.findByRole('heading', { level: 1, name: scenario.status.summary });
  await userEvent.click(document.querySelector('[data-panel="leftovers"]')!);
  await headline(title);
}
const openLow = () => open(scenarios.low, /^6,991 leftovers can go now: 6\.41.GB$/);

async function inside(name: string) {
  await userEvent.click(screen.getByRole('button', { name }));
  await screen.findByRole('grid');
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW * 1000 });
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  clearMocks();
  vi.useRealTimers();
});

describe('the look', () => {
  test('is not taken before somebody comes to see', async () => {
    backend = install(structuredClone(scenarios.low));
    render(App);
    await headline(scenarios.low.status.summary);
    expect(asked('leftovers')).toEqual([]);
    expect(asked('cleaning')).toHaveLength(1);
  });
  test('says how far it is, and then what can go', async () => {
    await open(scenarios.leftLooking, 'Looking for leftovers');
    expect(said()).toContain('48,211 files and folders so far');
    await emit('leftovers-progress', { seen: 50_000 });
    await tick();
    expect(said()).toContain('50,000 files and folders so far');
    backend.release?.();
    await headline(/^6,991 leftovers can go now/);
  });
  test('says how much is for the user to decide, and tells it on the side', async () => {
    await openLow();
    expect(said()).toContain('90 leftovers more, 3.50 GB, are for you to decide.');
    expect(screen.getByRole('button', { name: /^Leftovers 6\.41.GB can go$/ })).toBeTruthy();
  });
  test('is kept while other panels are seen', async () => {
    await openLow();
    await press('Overview');
    await userEvent.click(document.querySelector('[data-panel="leftovers"]')!);
    await headline(/^6,991/);
    expect(asked('leftovers')).toHaveLength(1);
  });
  test('that failed says why and can be taken again', async () => {
    await open(scenarios.leftBroken, 'Leftovers could not be looked for');
    expect(said(screen.getByRole('alert'))).toContain('Input/output error');
    backend.leftovers.view = heavy;
    await press('Try again');
    await headline(/^6,991/);
  });
  test('that failed again keeps what was seen', async () => {
    await openLow();
    backend.leftovers.view = 'look for leftovers: Input/output error';
    await press('Look again');
    await screen.findByRole('alert');
    expect(said()).toContain('What is shown was seen 2 min ago.');
    expect(kind(/^Choose all unused: Empty mount sources/)).toBeTruthy();
  });
  test('that found nothing is calm and says what it looked for', async () => {
    await open(scenarios.leftNothing, 'Nothing to clean');
    expect(said()).toContain('There are no leftovers in the folders that Sandtray watches.');
    expect(said()).toContain('Looked for and not found: write overlays of finished commands, copies of native libraries');
    expect(screen.queryByRole('button', { name: /^Clean/ })).toBeNull();
  });
  test('in which everything is kept offers nothing', async () => {
    await open(scenarios.leftKept, 'Nothing to clean');
    expect(said()).toContain('4,666 leftovers are there, and every one is kept');
    expect(screen.queryAllByRole('checkbox')).toEqual([]);
  });
  test('that missed something says so, and its numbers are the least', async () => {
    await open(scenarios.leftPart, /^At least 4,288 leftovers can go now/);
    expect(said()).toContain('Not everything was looked at');
    expect(said()).toContain('1,417 places could not be read');
  });
  test('names files that are deleted and still open, with who holds them', async () => {
    await openLow();
    expect(said()).toContain('Deleted, but still open 41.2 GB in all');
    expect(said()).toContain('claude (38210)41.2 GB 350 GB long');
  });
  test('tells lengths that are no space, and memory', async () => {
    await openLow();
    expect(said(screen.getByRole('table', { name: 'Leftovers: Your choice' }))).toContain('1.40 TB long');
    cleanup();
    await open(scenarios.leftMemory, /^4,553/);
    expect(said()).toContain('6.15 GB of it is memory.');
  });
});

describe('the choice', () => {
  test('is what is worth nothing, until somebody chooses', async () => {
    await openLow();
    expect(kind(/: Empty mount sources/).checked).toBe(true);
    expect(kind(/: Task output/).checked).toBe(false);
    await press('Clean 6,991 leftovers…');
    expect(asked('clean_view')).toEqual([{ choice: { groups: AUTOMATIC, candidates: [], for_good: false } }]);
  });
  test('of one’s own stands in a bar and leads back to the proposal', async () => {
    await openLow();
    await userEvent.click(kind(/: Task output/));
    const bar = screen.getByRole('region', { name: 'What is chosen' });
    expect(said(bar)).toContain('7,080 leftovers chosen, 8.72 GB');
    expect(screen.getAllByRole('button', { name: /^Clean .*…$/ })).toHaveLength(1);
    await press('Back to what is proposed');
    expect(screen.queryByRole('region', { name: 'What is chosen' })).toBeNull();
    expect(kind(/: Task output/).checked).toBe(false);
  });
  test('of nothing cannot be cleaned', async () => {
    await openLow();
    for (const name of [/: Write overlays/, /: Copies/, /: Empty mount/, /: Dead sandbox/]) await userEvent.click(kind(name));
    expect(said()).toContain('Nothing is chosen');
    expect(screen.queryByRole('button', { name: /^Clean .*…$/ })).toBeNull();
  });
  test('never has a box for what is only shown', async () => {
    await openLow();
    const shown = screen.getByRole('table', { name: 'Leftovers: Only shown' });
    expect(within(shown).queryAllByRole('checkbox')).toEqual([]);
  });
  test('of single ones sends their ids, and takes only what is unused', async () => {
    await openLow();
    await inside('Task output of ended sessions');
    expect(boxes()[0]!.disabled).toBe(true);
    expect(boxes()[0]!.getAttribute('aria-label')).toMatch(/ is kept: its session runs/);
    await userEvent.click(boxes()[6]!);
    await userEvent.click(boxes()[8]!);
    await press(/^Clean 6,993 leftovers…$/);
    expect(asked('clean_view')).toEqual([{ choice: { groups: AUTOMATIC, candidates: ['g-output-6', 'g-output-8'], for_good: false } }]);
  });
  test('of a range takes all between, but what is kept', async () => {
    await openLow();
    await inside('Task output of ended sessions');
    await userEvent.click(boxes()[7]!);
    const user = userEvent.setup();
    await user.keyboard('{Shift>}');
    await user.click(boxes()[10]!);
    await user.keyboard('{/Shift}');
    expect(await screen.findByRole('button', { name: 'Clean 6,995 leftovers…' })).toBeTruthy();
  });
  test('of all of a kind leaves no single ones beside it', async () => {
    await openLow();
    await inside('Task output of ended sessions');
    await userEvent.click(boxes()[6]!);
    expect(kind(/: Task output/).indeterminate).toBe(true);
    await userEvent.click(kind(/: Task output/));
    expect(boxes().every((box) => box.disabled)).toBe(true);
    await press('Clean 7,080 leftovers…');
    expect(asked('clean_view')).toMatchObject([{ choice: { candidates: [] } }]);
  });
  test('of what is only shown is made one by one', async () => {
    await open({ ...scenarios.low, leftovers: { view: view([{ ...worktrees, count: 12, live: 2, unknown: 1 }]), cleaning: still } }, 'Nothing to clean');
    await inside('Worktrees of agents');
    expect(screen.getByRole('grid').getAttribute('aria-multiselectable')).toBe('false');
    await userEvent.click(boxes()[4]!);
    const user = userEvent.setup();
    await user.keyboard('{Shift>}');
    await user.click(boxes()[8]!);
    await user.keyboard('{/Shift}');
    await press('Clean 2 leftovers…');
    expect(asked('clean_view')).toMatchObject([{ choice: { groups: [], candidates: ['g-worktree-4', 'g-worktree-8'] } }]);
  });
  test('has no box in a kind that is never removed', async () => {
    await openLow();
    await inside('Folders that test suites made');
    expect(within(screen.getByRole('grid')).queryAllByRole('checkbox')).toEqual([]);
    expect(said()).toContain('Sandtray does not remove these.');
    expect(said()).toContain('TMPDIR="$(mktemp -d)"');
  });
});

describe('the list', () => {
  test('of two hundred thousand asks for a page and draws a few', async () => {
    await open(scenarios.leftMany, /^199,988 leftovers can go now/);
    await inside('Empty mount sources');
    expect(asked('leftover_candidates')).toEqual([{ group: 'g-many', search: '', offset: 0, limit: 200 }]);
    expect(rows().length).toBeLessThan(60);
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('200000');
    rows()[0]!.focus();
    await userEvent.keyboard('{End}');
    expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('200000');
    await soon(() => expect(asked('leftover_candidates').at(-1)).toEqual({ group: 'g-many', search: '', offset: 199_800, limit: 200 }));
  });
  test('is searched where it is kept', async () => {
    await openLow();
    await inside('Task output of ended sessions');
    await userEvent.type(screen.getByRole('searchbox'), 'notes');
    expect(await screen.findByText('31 found')).toBeTruthy();
    expect(asked('leftover_candidates').at(-1)).toEqual({ group: 'g-output', search: 'notes', offset: 0, limit: 200 });
    await press('Choose the unused among 31 found');
    await press(/^Clean 7,020 leftovers…$/);
  });
  test('that was not found says so', async () => {
    await openLow();
    await inside('Empty mount sources');
    await userEvent.type(screen.getByRole('searchbox'), 'none such');
    expect(await screen.findByText('No path contains “none such”.')).toBeTruthy();
  });
  test('that cannot be had says why and can be asked for again', async () => {
    await openLow();
    backend.leftovers.unlisted = 'list the leftovers: look again';
    await press('Dead sandbox sockets');
    expect(said(await screen.findByRole('alert'))).toContain('They could not be listed: List the leftovers: look again.');
    delete backend.leftovers.unlisted;
    await press('Try again');
    await screen.findByRole('grid');
  });
  test('names a path that is dangerous to draw', async () => {
    await open({ ...scenarios.low, leftovers: { view: view([{ ...outputs, root: { path: '/tmp/\u202eodd' } }]), cleaning: still } }, 'Nothing to clean');
    expect(said()).toContain('/tmp/\\u{202e}odd');
    expect(candidate(outputs, 0).id).toBe('g-output-0');
  });
});

describe('the preview', () => {
  test('says what goes, at most how much comes free, and what stays and why', async () => {
    await openLow();
    await press('Clean 6,991 leftovers…');
    await headline(/^6,991 leftovers will be removed: at most 6\.37.GB come free$/);
    expect(said()).toContain('41.0 MB of it is also reached by other names and stays.');
    expect(said()).toContain('3 A process has it open (python3, 41877).');
    expect(screen.queryByRole('radio', { name: /^Move aside/ })).toBeNull();
  });
  test('parks what may be wanted, and says that this frees nothing yet', async () => {
    await openLow();
    await userEvent.click(kind(/: Task output/));
    await press('Clean 7,080 leftovers…');
    await headline(/^6,991 leftovers will be removed and 89 moved aside/);
    expect(said()).toContain('Parked ones free nothing yet: 2.31 GB come free when the parked copy is discarded.');
    expect(screen.getByRole('button', { name: 'Remove 6,991 leftovers, park 89' })).toBeTruthy();
  });
  test('removes for good only by choice and with consent', async () => {
    await openLow();
    await userEvent.click(kind(/: Task output/));
    await press('Clean 7,080 leftovers…');
    await userEvent.click(await screen.findByRole('radio', { name: /^Remove for good/ }));
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Remove 7,080 leftovers for good' });
    expect(asked('clean_view').at(-1)).toMatchObject({ choice: { for_good: true } });
    expect(button.disabled).toBe(true);
    await userEvent.click(screen.getByRole('checkbox'));
    expect(button.disabled).toBe(false);
    await userEvent.click(screen.getByRole('radio', { name: /^Move aside/ }));
    expect(await screen.findByRole('button', { name: 'Remove 6,991 leftovers, park 89' })).toBeTruthy();
  });
  test('that is refused has no button', async () => {
    await openLow();
    backend.leftovers.preview = { refusals: ['another clean-up runs: wait for its end'], id: '' };
    await press('Clean 6,991 leftovers…');
    await headline('This cannot be cleaned now');
    expect(said()).toContain('Another clean-up runs: wait for its end.');
    expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  });
  test('leads back without having done anything', async () => {
    await openLow();
    await press('Clean 6,991 leftovers…');
    await press('Not now');
    await headline(/^6,991 leftovers can go now/);
    expect(asked('apply_clean')).toEqual([]);
  });
  test('whose act was not begun says why and is read again', async () => {
    await openLow();
    await press('Clean 6,991 leftovers…');
    backend.leftovers.refuse = 'begin the clean-up: 14 changed';
    await press('Remove 6,991 leftovers');
    expect(said(await screen.findByRole('alert'))).toContain('It was not begun Begin the clean-up: 14 changed.');
    expect(asked('clean_view')).toHaveLength(2);
  });
});

describe('a clean-up', () => {
  test('is begun by its id, shows how far it is, can be stopped, and ends in a receipt', async () => {
    await openLow();
    await press('Clean 6,991 leftovers…');
    await press('Remove 6,991 leftovers');
    await headline('Cleaning 6,991 leftovers');
    expect(asked('apply_clean')).toEqual([{ id: 'clean-1' }]);
    await backend.tellCleaning(cleans.runs);
    await tick();
    expect(said()).toContain('2,112 of 6,991 · 2,106 gone · 6 left, with a reason');
    expect(screen.getByRole('progressbar').getAttribute('value')).toMatch(/^30\.2/);
    await press('Stop cleaning');
    expect(asked('cancel_clean')).toHaveLength(1);
    await backend.tellCleaning(cleans.stopped);
    await headline('Stopped: 2,106 leftovers removed until then');
  });
  test('is drawn by a window that did not see it begin', async () => {
    await open(scenarios.leftCleaning, 'Cleaning 6,991 leftovers');
    expect(said(document.querySelector('header')!)).toContain('cleaning');
  });
  test('that ended is looked at once: then what is left is looked for', async () => {
    await open(scenarios.leftDone, /^6\.38.GB came free: 6,991 leftovers removed$/);
    await press('See what is left');
    await headline('Nothing to clean');
    cleanup();
    await open(scenarios.leftDone, 'Nothing to clean');
  });
  test('makes what was seen before old', async () => {
    await openLow();
    await backend.tellCleaning(cleans.done);
    await headline(/came free/);
    await soon(() => expect(asked('leftovers')).toHaveLength(2));
  });
  test('tells what was left and what the system refused', async () => {
    await open(scenarios.leftPartly, /^174.MB came free: 8 leftovers removed$/);
    expect(said()).toContain('1,414 refused by the system');
    expect(said()).toContain('14 Changed since it was shown.');
  });
  test('that gained less than nothing says why', async () => {
    await open(scenarios.leftWrote, '6,991 leftovers were removed');
    expect(said()).toContain('nothing; other programs wrote 121 MB meanwhile');
  });
  test('that parked something leads to the parked copies', async () => {
    await open(scenarios.leftParked, /came free/);
    expect(said()).toContain('89 leftovers, 2.31 GB; comes free when discarded');
    await press('Parked copies');
    expect(document.querySelector('[data-panel="activity"]')?.getAttribute('aria-current')).toBe('page');
  });
  test('of the schedule is told aside', async () => {
    await open(scenarios.leftScheduled, /^96 leftovers can go now/);
    expect(said()).toContain('Cleaned by the schedule today 04:12: 6,991 leftovers, 6.38 GB came free.');
    await press('Show');
    await headline(/came free/);
  });
});

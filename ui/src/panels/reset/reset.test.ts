// The Reset panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../../App.svelte';
import { clearMocks } from '../../ipc';
import { actingOf } from '../../mocks/acting';
import { type Backend, install } from '../../mocks/install';
import { NOW } from '../../mocks/parts';
import { doneReady, entryOf, quitting, receipt, refusedEnd, watching } from '../../mocks/receipts';
import { changed } from '../../mocks/resets';
import { type Scenario, scenarios } from '../../mocks/scenarios';
import { soon } from '../../../tests/limits';

vi.mock('../../chart/draw', () => ({
  draw: () => ({ update() {}, resize() {}, recolor() {}, stress() {}, read() {}, destroy() {} }),
}));

const PLAN = 'plan-c0ffee-session_disk';
const BUTTON = 'Quit Claude and reset the session disk';
let backend: Backend;

const asked = (command: string) => backend.calls.filter((call) => call.command === command).map(({ args }) => args);
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const said = (box: HTMLElement = document.body) => (box.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
const headline = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });

async function open(scenario: Scenario, title: string | RegExp) {
  backend = install(structuredClone(scenario));
  render(App);
  if (scenario.status !== null) await screen.findByRole('heading', { level: 1, name: scenario.status.summary });
  await userEvent.click(document.querySelector('[data-panel="reset"]')!);
  await headline(title);
}
const openLow = () => open(scenarios.low, 'The sessions disk is filling up: an empty one gives room');

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
  test('is the headline’s button where a guest’s disk is the trouble, with its bundle', async () => {
    backend = install(structuredClone(scenarios.low));
    render(App);
    await press('Reset sandbox storage…');
    await headline(/^The sessions disk is filling up/);
    expect(asked('reset_view')).toEqual([{ bundle: 'c0ffee' }]);
  });
  test('is not offered where something else is the trouble', async () => {
    backend = install(structuredClone(scenarios.huge));
    render(App);
    await screen.findByRole('button', { name: 'See what takes the space' });
    expect(screen.queryByRole('button', { name: 'Reset sandbox storage…' })).toBeNull();
  });
});

describe('the preview', () => {
  test('recommends a scope, says why, what comes with it and what stays', async () => {
    await openLow();
    expect(radio(/^Session disk only/).checked).toBe(true);
    for (const part of ['Recommended: only the sessions disk is filling up', '1,634 sessions with 8.20 GB', 'come back only by undo or rescue', 'brave-calm-curie', 'and 1,630 more', 'Needs 300 MB beside the parked copy; 143 GB are available.']) {
      expect(said()).toContain(part);
    }
    expect(said()).toContain('Nothing is deleted.');
  });
  test('of another scope says what that would do, and sends its id', async () => {
    await openLow();
    await userEvent.click(radio(/^Whole bundle/));
    expect(said()).toContain('The packed copy of the system, so that Claude downloads it again.');
    expect(said()).toContain('A mark that keeps Claude from repairing itself.');
    await press('Quit Claude and reset the whole bundle');
    expect(asked('apply_plan')).toEqual([{ plan: 'plan-c0ffee-bundle' }]);
  });
  test('sends the id that was read, once, and nothing else', async () => {
    await openLow();
    await userEvent.dblClick(button(BUTTON));
    expect(asked('apply_plan')).toEqual([{ plan: PLAN }]);
    for (const { command, args } of backend.calls.filter(({ command }) => /act|plan|reset/.test(command))) expect(JSON.stringify([command, args])).not.toContain('/home');
  });
  test('cannot be pressed while it is read again', async () => {
    await openLow();
    const view = backend.acting.resets.c0ffee;
    let answer: (() => void) | null = null;
    Object.defineProperty(backend.acting.resets, 'c0ffee', { get: () => new Promise((done) => (answer = () => done(view))) });
    await backend.tellActs({ last: receipt({ id: 'other', kind: 'trash', end: 'done' }) });
    await soon(() => expect(answer).not.toBeNull());
    expect(button(BUTTON).disabled).toBe(true);
    await userEvent.click(button(BUTTON));
    expect(asked('apply_plan')).toEqual([]);
    answer!();
    await soon(() => expect(button(BUTTON).disabled).toBe(false));
  });
  test('is read again when the verdict it rests on changes, and not for every measurement', async () => {
    await openLow();
    await backend.tell({ ...scenarios.low.status!, at: NOW + 5 });
    await tick();
    expect(asked('reset_view')).toHaveLength(1);
    await backend.tell({ ...scenarios.critical.status!, at: NOW + 9 });
    await soon(() => expect(asked('reset_view')).toHaveLength(2));
  });
  test('of a healthy machine is calm, chooses nothing, and has no act yet', async () => {
    await open(scenarios.fine, 'A reset would not help now');
    expect(said()).toContain('Neither disk is filling up, so a reset would not help.');
    expect(screen.getAllByRole<HTMLInputElement>('radio').some(({ checked }) => checked)).toBe(false);
    expect(screen.queryByRole('button', { name: /^Quit Claude/ })).toBeNull();
    await userEvent.click(radio(/^System disk/));
    expect(button('Quit Claude and reset the system disk').disabled).toBe(false);
  });
  test('without Claude running does not speak of quitting', async () => {
    await open(scenarios.unreadHomes, /^The sessions disk/);
    expect(button('Reset the session disk').disabled).toBe(false);
    expect(said()).toContain('Claude does not run now, and is not started.');
    expect(said()).toContain('Which sessions are on it could not be read.');
    expect(said()).toContain('how much is available is not known');
  });
  test('leads to the rescue of what is on the disk, and back without doing anything', async () => {
    await openLow();
    await press('Rescue files first…');
    await headline(/^1,634 sessions hold/);
    await userEvent.click(document.querySelector('[data-panel="reset"]')!);
    await press('Not now');
    await headline(scenarios.low.status!.summary);
    expect(asked('apply_plan')).toEqual([]);
  });
  test('without a disk asks nothing', async () => {
    await open(scenarios.nothing, 'There is nothing to reset');
    expect(asked('reset_view')).toEqual([]);
  });
  test('of several sandboxes in use asks for none before one is chosen', async () => {
    await open(scenarios.which, 'Which sandbox is to be reset?');
    expect(asked('reset_view')).toEqual([]);
    await press(/another provider/);
    await soon(() => expect(asked('reset_view')).toEqual([{ bundle: 'beef' }]));
  });
  test('that cannot be made says why and can be asked again', async () => {
    await open(scenarios.resetBroken, 'What a reset would do could not be found out');
    expect(said()).toContain('Permission denied');
    backend.acting.resets = actingOf(scenarios.low.status).resets;
    await press('Look again');
    await headline(/^The sessions disk is filling up/);
    expect(button(BUTTON).disabled).toBe(false);
  });
});

describe('a refusal', () => {
  test('of everything is told once, with what to do, and leaves no button', async () => {
    await open(scenarios.orphan, /^The sessions disk/);
    expect(screen.getAllByText(/qemu-system-x86_64 \(process 48112\)/)).toHaveLength(1);
    expect(screen.getByRole('heading', { name: 'Claude’s virtual machine is still running' })).toBeTruthy();
    for (const one of screen.getAllByRole<HTMLInputElement>('radio')) expect(one.disabled).toBe(true);
    expect(screen.queryByRole('button', { name: /reset the/i })).toBeNull();
  });
  test('of one scope disables it and leaves the others', async () => {
    await open(scenarios.tight, /^Both disks are filling up/);
    expect(radio(/^Whole bundle/).disabled).toBe(true);
    expect(said()).toContain('13.7 GB short');
    await press('Reset the session disk only');
    expect(radio(/^Session disk only/).checked).toBe(true);
    expect(button(BUTTON).disabled).toBe(false);
    expect(asked('apply_plan')).toEqual([]);
  });
  test('to begin reads the page again and says why', async () => {
    await openLow();
    backend.acting.refuse = 'Another reset or clean-up is running. Wait until it is done.';
    await press(BUTTON);
    expect(said(await screen.findByRole('alert'))).toContain('Another reset or clean-up is running.');
    await soon(() => expect(asked('reset_view')).toHaveLength(2));
    await soon(() => expect(button(BUTTON).disabled).toBe(false));
    await press('Dismiss');
    expect(screen.queryByRole('alert')).toBeNull();
  });
  test('because something changed shows the new page, not an end', async () => {
    await openLow();
    await press(BUTTON);
    const fresh = backend.acting.resets.c0ffee;
    if (typeof fresh === 'object') backend.acting.resets.c0ffee = { ...fresh, plans: fresh.plans.map((plan) => ({ ...plan, id: `${plan.id}-2` })) };
    await backend.tellActs({ last: { ...refusedEnd, id: PLAN, outcome: changed.text, refusals: [changed] } });
    expect(said(await screen.findByRole('alert'))).toContain('Something changed, so nothing was done');
    await soon(() => expect(button(BUTTON).disabled).toBe(false));
    await press(BUTTON);
    expect(asked('apply_plan')).toEqual([{ plan: PLAN }, { plan: `${PLAN}-2` }]);
  });
});

describe('an act that runs', () => {
  test('is drawn by a window that did not see it begin', async () => {
    await open(scenarios.quitting, 'Resetting the whole bundle');
    expect(said()).toContain('Claude Desktop is closing · for 23 s');
    expect(said()).toContain('If Claude asks whether its sessions may be ended, answer it there.');
    expect(asked('reset_view')).toEqual([]);
  });
  test('follows each report', async () => {
    await openLow();
    await press(BUTTON);
    const id = PLAN;
    await backend.tellActs({ running: quitting(id) });
    await headline('Resetting the session disk');
    expect(screen.getByText('Claude is asked to quit').closest('li')?.className).toContain('now');
    await backend.tellActs({ running: watching(id, { state: 'downloading', percent: 45 }) });
    await screen.findByText(/Claude is downloading the system: 45 %/, { selector: '.num' });
    expect(screen.getByRole<HTMLProgressElement>('progressbar').value).toBe(45);
    expect(screen.getByText('Claude is asked to quit').closest('li')?.className).toContain('done');
    expect(screen.queryByRole('button', { name: /^Stop, and leave/ })).toBeNull();
    await backend.tellActs({ running: watching(id, { state: 'waiting' }) });
    await screen.findByText('Until then nothing happens, and nothing is wrong.');
  });
  test('counts how long it waits', async () => {
    await open(scenarios.quitting, 'Resetting the whole bundle');
    await vi.advanceTimersByTimeAsync(2000);
    await screen.findByText(/for 25 s/);
  });
  test('can be stopped while everything is as it was', async () => {
    await open(scenarios.quitting, 'Resetting the whole bundle');
    await press('Stop, and leave everything as it is');
    expect(asked('cancel_act')).toEqual([{}]);
    await headline(/^The sessions disk/);
  });
  test('takes the place of the button that began it, everywhere', async () => {
    await open(scenarios.downloading, 'Resetting the whole bundle');
    await press('Overview');
    expect(screen.queryByRole('button', { name: 'Reset sandbox storage…' })).toBeNull();
    await press('Show');
    await headline('Resetting the whole bundle');
  });
});

describe('the end', () => {
  test('is the outcome, measured, with undo in reach', async () => {
    await open(scenarios.ready, 'Cowork has an empty sessions disk; the old one is parked');
    for (const part of ['9.30 GB before, 1.10 MB now', '143 GB before', '1,204 files compared, none differ', 'Claude itself has changed 12 files', 'Start new sessions']) expect(said()).toContain(part);
    await press('Undo…');
    await headline(/^1 parked copy holds/);
    await screen.findByRole('heading', { name: 'Put this copy back' });
    expect(asked('restore_view')).toEqual([{ copy: 'k1' }]);
    expect(asked('apply_plan')).toEqual([]);
  });
  test('is shown until it is closed, and then the page is read anew', async () => {
    await open(scenarios.ready, /^Cowork has an empty/);
    expect(asked('reset_view')).toEqual([]);
    await press('Close');
    await headline(/^The sessions disk/);
    expect(asked('reset_view')).toHaveLength(1);
    cleanup();
    await open(scenarios.ready, /^The sessions disk/);
  });
  test('that waits is calm', async () => {
    await open(scenarios.waiting, /^The old disks are parked/);
    expect(said()).toContain('Open a Cowork task and Claude builds the new disk');
    expect(said()).toContain('9.30 GB before, not built yet');
    expect(screen.queryByRole('alert')).toBeNull();
  });
  test('of a failed rebuild makes undo the first thing to do', async () => {
    await open(scenarios.failedRebuild, 'Claude could not build the new disk');
    expect(button('Undo…').className).toContain('primary');
  });
  test('that took everything back says so', async () => {
    await open(scenarios.rolledBack, 'The reset was taken back');
    expect(said()).toContain('are back where they were');
    expect(screen.queryByRole('button', { name: 'Undo…' })).toBeNull();
  });
  test('that was refused says that nothing moved, and why once', async () => {
    await open(scenarios.refusedEnd, 'Nothing was reset');
    expect(said()).toContain('Nothing was moved: every disk is where it was.');
    expect(screen.getAllByText(/qemu-system-x86_64/)).toHaveLength(1);
    await press('Look at it again');
    await headline(/^The sessions disk/);
  });
  test('with a file missing says so with the headline', async () => {
    await open(scenarios.interrupted, 'The reset was cut off');
    const head = screen.getByRole('heading', { level: 1 }).parentElement!;
    expect(said(head)).toContain('1 of 1,204 files of chats, tasks and projects is missing now');
    expect(said(head)).toContain('each is either in its place or in the parked copy');
  });
  test('of another act is not shown here', async () => {
    const done = receipt({ id: 'trash-1', kind: 'trash' });
    await open({ ...scenarios.ready, acting: { ...scenarios.ready.acting!, acts: { running: [], last: done, parked: [] }, entries: [entryOf(done), entryOf(doneReady)] } }, /^The sessions disk/);
    expect(within(screen.getByRole('main')).queryByText('What was measured')).toBeNull();
  });
  test('without an end is told on every panel that acts', async () => {
    await open(scenarios.cutOff, /^The sessions disk/);
    for (const panel of ['reset', 'activity', 'overview']) {
      await userEvent.click(document.querySelector(`[data-panel="${panel}"]`)!);
      await screen.findByRole('heading', { name: 'The reset was cut off' });
      expect(said()).toContain('Quit Sandtray and start it again.');
    }
  });
});

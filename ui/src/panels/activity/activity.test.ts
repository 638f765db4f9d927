// The Activity panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../../App.svelte';
import { clearMocks } from '../../ipc';
import { discardOf, one, restoreOf } from '../../mocks/copies';
import { recorded, several, single } from '../../mocks/asides';
import { still } from '../../mocks/cleans';
import { type Backend, install } from '../../mocks/install';
import { NOW } from '../../mocks/parts';
import { progress, receipt, restored } from '../../mocks/receipts';
import { type Scenario, scenarios } from '../../mocks/scenarios';
import { soon } from '../../../tests/limits';

vi.mock('../../chart/draw', () => ({
  draw: () => ({ update() {}, resize() {}, recolor() {}, stress() {}, read() {}, destroy() {} }),
}));

let backend: Backend;

const asked = (command: string) => backend.calls.filter((call) => call.command === command).map(({ args }) => args);
const said = (box: HTMLElement = document.body) => (box.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
const copies = () => screen.getAllByRole('article');
const press = async (name: string | RegExp, box: HTMLElement = document.body) => userEvent.click(await within(box).findByRole('button', { name }));
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });

async function open(scenario: Scenario, title: string | RegExp) {
  backend = install(structuredClone(scenario));
  render(App);
  await userEvent.click(document.querySelector('[data-panel="activity"]')!);
  await screen.findByRole('heading', { level: 1, name: title });
}
const openOne = () => open(scenarios.parkedOne, /^1 parked copy holds 8\.54.GB/);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW * 1000 });
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  clearMocks();
  vi.useRealTimers();
});

describe('parked copies', () => {
  test('that do not exist leave a calm page', async () => {
    await open(scenarios.low, 'Nothing was moved so far');
    expect(screen.queryByRole('button', { name: 'Export…' })).toBeNull();
    expect(screen.queryByRole('article')).toBeNull();
  });
  test('say when, what they hold and how they stand', async () => {
    await openOne();
    expect(said(copies()[0])).toContain('8.54 GB · 1,634 sessions with 8.20 GB');
    expect(said(copies()[0])).toContain('parked today');
    expect(screen.getByRole('button', { name: /^Activity 1/ })).toBeTruthy();
  });
  test('by the dozen are folded, and what cannot be done with one is not offered', async () => {
    await open(scenarios.parkedMany, /^12 parked copies hold/);
    expect(copies()).toHaveLength(5);
    await press('Show 7 more');
    expect(copies()).toHaveLength(12);
    const absent = copies()[4]!;
    expect(said(absent)).toContain('Not there now');
    expect(within(absent).getByRole<HTMLButtonElement>('button', { name: /^Restore/ }).disabled).toBe(true);
    expect(within(absent).queryByRole('button', { name: /^Rescue/ })).toBeNull();
  });
  test('are offered to be discarded only once they are old and the new disks work', async () => {
    await open(scenarios.parkedMany, /^12 parked copies hold/);
    await press('Show 7 more');
    const offered = copies().filter((one) => said(one).includes('discarding it frees'));
    expect(offered.length).toBeGreaterThan(0);
    for (const one of copies()) if (said(one).includes('parked today') || said(one).includes('not seen working')) expect(offered).not.toContain(one);
  });
  test('lead to the rescue of what is in them, by an id', async () => {
    await openOne();
    await press(/^Rescue files/);
    await soon(() => expect(asked('inside').at(-1)).toEqual({ disk: 'parked_sessions:k1', folder: null }));
  });
});

describe('to put one back', () => {
  test('is previewed first, and sends the id that was read', async () => {
    await openOne();
    await press(/^Restore/);
    await screen.findByText('1,634 sessions with their files');
    expect(said(copies()[0])).toContain('The disks that are there now, 270 MB.');
    expect(asked('restore_view')).toEqual([{ copy: 'k1' }]);
    expect(asked('apply_plan')).toEqual([]);
    await press('Quit Claude and put this copy back');
    expect(asked('apply_plan')).toEqual([{ plan: 'restore-k1' }]);
    await backend.tellActs({ running: progress('restore-k1', 'move') });
    await screen.findByRole('heading', { name: 'Putting the session disk back' });
    expect(screen.getByText('The disks change places').closest('li')?.className).toContain('now');
    expect(button(/^Restore/).disabled).toBe(true);
    await backend.tellActs({ running: [], last: restored, parked: one.map((copy) => ({ ...copy, id: 'k9' })) });
    await screen.findByRole('heading', { name: /^The parked session disk is back/ });
    expect(screen.queryByRole('heading', { name: 'Put this copy back' })).toBeNull();
  });
  test('says where only a part comes back', async () => {
    const bundle = { ...one[0]!, scope: 'bundle' as const };
    const scenario = structuredClone(scenarios.parkedOne) as Scenario;
    scenario.acting!.acts.parked = [bundle];
    scenario.acting!.restores = { k1: restoreOf(bundle, { scope: 'session_disk' }) };
    await open(scenario, /^1 parked copy/);
    await press(/^Restore/);
    await screen.findByText('Only the session disk comes back; the rest stays parked.');
  });
  test('that is refused has no act, only why', async () => {
    const scenario = structuredClone(scenarios.parkedOne) as Scenario;
    scenario.acting!.restores = { k1: restoreOf(one[0]!, { refusals: [{ reason: 'copy_changed', what: 'x', text: 'The parked copy is not as it was put there: sessiondata.img is shorter. It is left alone.' }] }) };
    await open(scenario, /^1 parked copy/);
    await press(/^Restore/);
    await screen.findByText(/sessiondata.img is shorter/);
    expect(screen.queryByRole('button', { name: /put this copy back/ })).toBeNull();
  });
});

describe('to discard one', () => {
  test('to the trash says that nothing is free until it is emptied', async () => {
    await openOne();
    await press(/^Discard/);
    await screen.findByText(/It frees nothing until the trash is emptied/);
    await press('Move the copy to the trash');
    expect(asked('discard_view')).toEqual([{ copy: 'k1', forGood: false }]);
    expect(asked('apply_plan')).toEqual([{ plan: 'trash-k1' }]);
  });
  test('for good needs a second consent, each time anew', async () => {
    await openOne();
    await press(/^Discard/);
    await userEvent.click(await screen.findByRole('radio', { name: 'Remove it for good' }));
    const consent = await screen.findByRole<HTMLInputElement>('checkbox', { name: /cannot be undone/ });
    expect(button('Remove the copy for good').disabled).toBe(true);
    await userEvent.click(button('Remove the copy for good'));
    expect(asked('apply_plan')).toEqual([]);
    await userEvent.click(consent);
    expect(button('Remove the copy for good').disabled).toBe(false);
    await userEvent.click(screen.getByRole('radio', { name: 'Move it to the trash' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Remove it for good' }));
    expect((await screen.findByRole<HTMLInputElement>('checkbox', { name: /cannot be undone/ })).checked).toBe(false);
    await userEvent.click(screen.getByRole('checkbox', { name: /cannot be undone/ }));
    await press('Remove the copy for good');
    expect(asked('apply_plan')).toEqual([{ plan: 'remove-k1' }]);
  });
  test('loses its consent when it is read again', async () => {
    await openOne();
    await press(/^Discard/);
    await userEvent.click(await screen.findByRole('radio', { name: 'Remove it for good' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: /cannot be undone/ }));
    backend.acting.refuse = 'Another reset or clean-up is running. Wait until it is done.';
    await press('Remove the copy for good');
    expect(said(await screen.findByRole('alert'))).toContain('Another reset or clean-up is running.');
    await soon(() => expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /cannot be undone/ }).checked).toBe(false));
    expect(button('Remove the copy for good').disabled).toBe(true);
  });
  test('before its rebuild was seen working explains, and offers neither way', async () => {
    const scenario = structuredClone(scenarios.parkedOne) as Scenario;
    scenario.acting!.acts.parked = [{ ...one[0]!, verified: false }];
    await open(scenario, /^1 parked copy/);
    await press(/^Discard/);
    await screen.findByText(/so the old ones are kept/);
    expect(screen.queryByRole('radio', { name: 'Remove it for good' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Move the copy to the trash' })).toBeNull();
  });
  test('where the trash cannot take it leaves the other way', async () => {
    const scenario = structuredClone(scenarios.parkedOne) as Scenario;
    scenario.acting!.discards = { 'k1 false': discardOf(one[0]!, false, { refusals: [{ reason: 'no_trash', cause: 'x', text: 'It cannot go to the trash: it lies on another volume. It can only be removed for good.' }] }) };
    await open(scenario, /^1 parked copy/);
    await press(/^Discard/);
    await screen.findByText(/It can only be removed for good/);
    await userEvent.click(screen.getByRole('radio', { name: 'Remove it for good' }));
    await screen.findByRole('checkbox', { name: /cannot be undone/ });
  });
});

describe('receipts', () => {
  test('list every act, refused ones too, and open to what was measured', async () => {
    await open(scenarios.parkedMany, /^12 parked/);
    for (const part of ['Session disk reset', 'Parked session disk to the trash', 'Not done', 'Taken back', 'Cut off']) expect(said()).toContain(part);
    expect(said()).toContain('1,204 files compared, none differ');
    await press('Show 17 more');
    expect(screen.getAllByText('Session disk reset').length).toBeGreaterThan(30);
  });
  test('are exported where the backend’s own dialog says', async () => {
    await openOne();
    await press('Export…');
    await screen.findByText('Exported.');
    expect(asked('export_activity')).toEqual([{}]);
    backend.acting.chosen = false;
    await press('Export…');
    await soon(() => expect(screen.queryByText('Exported.')).toBeNull());
  });
  test('follow an act that ends', async () => {
    await openOne();
    backend.acting.entries = [...(backend.acting.entries as []), ...[receipt({ id: 'new', kind: 'trash', end: 'failed', outcome: 'rename: Input/output error' })].map((one) => ({ ...one, state: 'failed' as const, receipt: one }))];
    await backend.tellActs({ last: receipt({ id: 'new', kind: 'trash', end: 'failed' }) });
    await screen.findByText('rename: Input/output error');
  });
  test('that cannot be read say why', async () => {
    await open(scenarios.resetBroken, 'Nothing is parked');
    expect(said(await screen.findByRole('alert'))).toContain('journal.jsonl: Permission denied');
  });
});

describe('parked leftovers', () => {
  const openAside = () => open(scenarios.asideOne, /^1 parked copy holds 2\.31.GB$/);

  test('stand beside parked disks by time, and say what they are', async () => {
    await open(scenarios.asideMany, /^16 parked copies hold/);
    const names = copies().map((one) => one.getAttribute('aria-label'));
    expect(names.filter((name) => name?.startsWith('Leftovers'))).toEqual(['Leftovers, parked today 12:32', 'Leftovers, parked today 10:12']);
    expect(names[0]).toMatch(/^(Session disk|System disk|Whole bundle), parked today/);
    await press(/^Show 11 more$/);
    const large = copies().find((one) => said(one).includes('31,204 leftovers'))!;
    expect(said(large)).toContain('18.7 GB');
    expect(said(large)).toContain('28,111 × Task output of ended sessions');
    expect(said(large)).toContain('81 more');
    expect(document.body.textContent).not.toContain('\u202e');
  });
  test('that are not there now say so, claim no size, and can be neither put back nor discarded', async () => {
    await open(scenarios.asideMany, /^16 parked copies hold/);
    await press(/^Show 11 more$/);
    const absent = copies().find((one) => said(one).startsWith('Leftovers') && said(one).includes('Not there now'))!;
    expect(said(absent)).toContain('What it holds is not known now.');
    expect(said(absent)).not.toMatch(/\b0 (B|leftovers)/);
    for (const button of within(absent).getAllByRole<HTMLButtonElement>('button')) expect(button.disabled).toBe(true);
  });
  test('that will be discarded unasked say when, and none else does', async () => {
    await open(scenarios.asideMany, /^16 parked copies hold/);
    expect(said()).toContain('leftovers are, after 30 days, as set in Settings.');
    expect(said(copies().find((one) => said(one).startsWith('Leftovers'))!)).toContain('Discarded for good by itself after 29 Dec.');
    cleanup();
    await openAside();
    expect(said()).toContain('None is discarded by itself.');
    expect(said()).not.toContain('Discarded for good');
  });
  test('are put back by their id, and what Rust says of it stands there until it was read', async () => {
    await openAside();
    await press(/^Restore/);
    expect(asked('restore_leftovers')).toEqual([]);
    await press('Put 89 leftovers back');
    expect(said(await screen.findByRole('status'))).toContain('89 leftovers moved back.');
    expect(asked('restore_leftovers')).toEqual([{ copy: 'left-k7' }]);
    expect(screen.queryByRole('article')).toBeNull();
    await press('Close');
    expect(said()).not.toContain('moved back');
  });
  test('are discarded only with consent, which says what goes, and that it is for good', async () => {
    await openAside();
    await press(/^Discard for good…/);
    expect(said(copies()[0])).toContain('89 leftovers are removed at once, which frees up to 2.31 GB on this computer. Nothing goes to the trash, and nothing can be put back after that.');
    const act = button('Discard 89 leftovers for good');
    expect(act.disabled).toBe(true);
    await userEvent.click(act);
    expect(asked('discard_leftovers')).toEqual([]);
    await userEvent.click(screen.getByRole('checkbox', { name: /cannot be undone/ }));
    await userEvent.click(act);
    expect(said(await screen.findByRole('status'))).toContain('89 leftovers removed for good, 2.31 GB came free.');
    expect(asked('discard_leftovers')).toEqual([{ copy: 'left-k7' }]);
  });
  test('lose the consent by another look, and by a failure, which says why', async () => {
    await openAside();
    await press(/^Discard for good…/);
    await userEvent.click(screen.getByRole('checkbox', { name: /cannot be undone/ }));
    await press(/^Restore/);
    await press(/^Discard for good…/);
    const consent = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /cannot be undone/ });
    expect(consent().checked).toBe(false);
    backend.leftovers.kept = 'open the copy /tmp/.sandtray-parked-1000/left-k7: Permission denied';
    await userEvent.click(consent());
    await press('Discard 89 leftovers for good');
    expect(said(await screen.findByRole('alert'))).toContain('Permission denied.');
    expect(consent().checked).toBe(false);
    expect(copies()).toHaveLength(1);
  });
  test('are left alone while a clean-up runs, and while one is being put back', async () => {
    await openAside();
    await backend.tellCleaning({ running: { schema: 1, id: 'x', class: 'c', title: 't', done: 1, total: 2, removed: 1, skipped: 0 }, last: null, parked: single });
    await soon(() => expect(button(/^Restore/).disabled).toBe(true));
    await backend.tellCleaning({ ...still, parked: several });
    backend.leftovers.slow = true;
    await userEvent.click(within(copies()[1]!).getByRole('button', { name: /^Restore/ }));
    await press('Put 89 leftovers back');
    await screen.findByRole('button', { name: 'Putting back…' });
    for (const one of screen.getAllByRole<HTMLButtonElement>('button', { name: /^(Restore|Discard)/ })) expect(one.disabled).toBe(true);
    backend.release?.();
    await screen.findByRole('status');
  });
  test('that went elsewhere close what was wished for them', async () => {
    await openAside();
    await press(/^Discard for good…/);
    await backend.tellCleaning({ ...still, parked: several.slice(0, 1) });
    await soon(() => expect(screen.queryByRole('checkbox', { name: /cannot be undone/ })).toBeNull());
  });
  test('that were put back make what the look saw old', async () => {
    await openAside();
    await userEvent.click(document.querySelector('[data-panel="leftovers"]')!);
    await screen.findByRole('heading', { level: 1, name: /^6,991/ });
    await userEvent.click(document.querySelector('[data-panel="activity"]')!);
    await press(/^Restore/);
    await press('Put 89 leftovers back');
    await screen.findByRole('status');
    await userEvent.click(document.querySelector('[data-panel="leftovers"]')!);
    await soon(() => expect(asked('leftovers')).toHaveLength(2));
  });
});

describe('receipts of clean-ups', () => {
  const rows = () => [...document.querySelectorAll('details:has(.outcome)')] as HTMLElement[];

  test('stand among those of acts, by time, with who asked', async () => {
    await open(scenarios.asideMany, /^16 parked copies hold/);
    await soon(() => expect(rows().some((row) => said(row).includes('Leftovers cleaned'))).toBe(true));
    const list = rows().map((row) => said(row.querySelector('summary')!));
    expect(list.some((row) => row.includes('Leftovers cleaned by the schedule'))).toBe(true);
    expect(list.some((row) => row.includes('Session disk reset'))).toBe(true);
    const all = [...recorded.map(({ begun_at }) => begun_at), ...(backend.acting.entries as { begun_at: number }[]).map(({ begun_at }) => begun_at)].sort((a, b) => b - a);
    expect(list).toHaveLength(Math.min(20, all.length));
    for (const [state, part] of [['Done', '1 leftover moved aside.'], ['Not all', '1,414 failed'], ['Stopped', 'stopped before its end'], ['Nothing done', 'Nothing was removed, 12 kept.']] as const) {
      expect(list.find((row) => row.includes(part))).toContain(state);
    }
  });
  test('open to the gain, the parts, what stayed and why, and what the system refused', async () => {
    await open(scenarios.asideMany, /^16 parked copies hold/);
    await soon(() => expect(rows().some((row) => said(row).includes('1,414 failed'))).toBe(true));
    const row = said(rows().find((row) => said(row).includes('1,414 failed'))!);
    for (const part of ['Came free 174 MB', 'Write overlays', '14 Changed since it was shown.', '1,414 refused by the system', 'Operation not permitted', 'and 1,412 more']) expect(row).toContain(part);
  });
  test('are read anew when a clean-up ends', async () => {
    await open(scenarios.asideOne, /^1 parked copy/);
    backend.leftovers.receipts = recorded;
    await backend.tellCleaning({ ...still, last: recorded[0]!, parked: single });
    await screen.findByText('1 leftover moved aside.');
  });
  test('that cannot be read say why, and leave those of acts', async () => {
    await open(scenarios.asideBroken, /^1 parked copy/);
    expect(said(await screen.findByRole('alert'))).toContain('cleans.jsonl: Input/output error');
  });
});

// The Activity panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../../App.svelte';
import { clearMocks } from '../../ipc';
import { discardOf, one, restoreOf } from '../../mocks/copies';
import { type Backend, install } from '../../mocks/install';
import { NOW } from '../../mocks/parts';
import { progress, receipt, restored } from '../../mocks/receipts';
import { type Scenario, scenarios } from '../../mocks/scenarios';

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
    await vi.waitFor(() => expect(asked('inside').at(-1)).toEqual({ disk: 'parked_sessions:k1', folder: null }));
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
    await vi.waitFor(() => expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /cannot be undone/ }).checked).toBe(false));
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
    await vi.waitFor(() => expect(screen.queryByText('Exported.')).toBeNull());
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

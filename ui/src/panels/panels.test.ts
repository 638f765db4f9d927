// Each state of each panel, from the door inwards: only Rust's answers are replaced.

import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import App from '../App.svelte';
import { clearMocks } from '../ipc';
import { type Backend, install } from '../mocks/install';
import { NOW } from '../mocks/parts';
import { type Scenario, scenarios } from '../mocks/scenarios';
import { soon } from '../../tests/limits';

// A canvas has no picture here; what is drawn is tested as a plan, and in a browser.
vi.mock('../chart/draw', () => ({
  draw: () => ({ update() {}, resize() {}, recolor() {}, stress() {}, read() {}, destroy() {} }),
}));

let backend: Backend;

async function open(scenario: Scenario) {
  backend = install(scenario);
  render(App);
  await screen.findByRole('heading', { level: 1 });
  if (scenario.status !== null) await screen.findByRole('heading', { name: scenario.status.summary });
}

const asked = (command: string) => backend.calls.filter((call) => call.command === command);
const press = async (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
/** Numbers and their units are held together by a space that does not break. */
const said = (box: HTMLElement) => (box.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
const card = (name: string) => screen.getByRole('button', { name: `Show only ${name} in the chart` }).closest('li') as HTMLElement;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW * 1000 });
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  clearMocks();
  vi.useRealTimers();
});

describe('the headline', () => {
  test('is Rust’s sentence, and the ring says the same in words', async () => {
    await open(scenarios.low);
    expect(screen.getByText(/Cowork keeps the files of its sessions/)).toBeTruthy();
    expect(screen.getByRole('img', { name: 'Sessions disk: 88 % full, Low' })).toBeTruthy();
  });
  test('follows each new snapshot', async () => {
    await open(scenarios.low);
    await backend.tell(scenarios.fine.status!);
    expect(await screen.findByRole('heading', { name: scenarios.fine.status!.summary })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Remind me tomorrow' })).toBeNull();
  });
  test('offers to be quiet about the gauge it speaks of, and to speak again', async () => {
    await open(scenarios.low);
    await press('Remind me tomorrow');
    expect(asked('snooze')[0]?.args).toEqual({ gauge: 'guest_sessions:c0ffee', span: 'day' });
    await press('Tell me again');
    expect(asked('snooze')[1]?.args).toEqual({ gauge: 'guest_sessions:c0ffee', span: 'off' });
    expect(screen.getByRole('button', { name: 'Remind me tomorrow' })).toBeTruthy();
  });
  test('offers an hour where a day is too long', async () => {
    await open(scenarios.critical);
    await press('Remind me in an hour');
    expect(asked('snooze')[0]?.args).toMatchObject({ span: 'hour' });
  });
  test('of what is unknown shows no number of another gauge', async () => {
    await open(scenarios.first);
    expect(screen.getByRole('img', { name: 'Nothing is known yet' }).textContent).toContain('?');
  });
});

describe('gauges', () => {
  test('say how full, what is left, where it leads', async () => {
    await open(scenarios.low);
    expect(said(card('Sessions disk'))).toContain('88 %');
    expect(said(card('Sessions disk'))).toContain('1.10 GB available of 9.30 GB');
    expect(said(card('Sessions disk'))).toContain('+380 MB a day · full 2 to 4 Dec');
    expect(said(card('Sessions disk'))).toContain('Low');
    expect(said(card('File count on /'))).toContain('29.3 million available of 30.5 million files');
  });
  test('that are unknown say why, and never zero', async () => {
    await open(scenarios.unknown);
    expect(said(card('Disk /mnt/nas'))).toContain('It did not answer in time');
    expect(said(card('Disk /mnt/nas'))).not.toMatch(/\b0\b/);
  });
  test('say their age where it matters', async () => {
    await open(scenarios.unknown);
    expect(said(card('Disk /'))).toContain('as of 10:00');
    expect(said(card('Disk /mnt/nas'))).not.toContain('as of');
  });
  test('that are memory say so', async () => {
    await open(scenarios.unknown);
    expect(said(card('Memory /tmp'))).toContain('This is memory');
  });
  test('of files on the sandbox’s disks are one press away as long as they are fine', async () => {
    await open(scenarios.fine);
    const name = 'Show only File count on the sessions disk in the chart';
    expect(screen.queryByRole('button', { name })).toBeNull();
    await press('Show 2 more');
    expect(said(card('File count on the sessions disk'))).toContain('607,149 available of 655,360 files');
    await press('Show fewer');
    expect(screen.queryByRole('button', { name })).toBeNull();
    const gauges = scenarios.fine.status!.gauges.map((gauge) => (gauge.kind === 'guest_sessions_inodes' ? { ...gauge, verdict: 'low' as const } : gauge));
    await backend.tell({ ...scenarios.fine.status!, gauges });
    expect(await screen.findByRole('button', { name })).toBeTruthy();
  });
  test('of a system disk say how far it is from a fresh one', async () => {
    await open(scenarios.fine);
    expect(said(card('System disk'))).toContain('3 % above a fresh one');
    expect(said(card('Sessions disk'))).not.toContain('fresh');
  });
  test('beyond the first eight are one press away', async () => {
    await open(scenarios.huge);
    expect(screen.getAllByRole('button', { name: /^Show only/ })).toHaveLength(8);
    await press('Show 5 more');
    expect(screen.getAllByRole('button', { name: /^Show only/ })).toHaveLength(13);
  });
});

describe('the chart', () => {
  const line = (name: string) => within(screen.getByRole('group', { name: 'Lines in the chart' })).getByRole('button', { name });
  const allLines = async () => userEvent.click(await screen.findByRole('button', { name: /^All \d+ lines$/ }));
  const tableHeads = () => screen.getAllByRole('columnheader').map((head) => head.textContent).filter((text) => text !== null);

  test('has a line to choose for every gauge and meter', async () => {
    await open(scenarios.huge);
    await screen.findByRole('group', { name: 'Lines in the chart' });
    const { gauges, meters } = scenarios.huge.status;
    await press(`All ${gauges.length + meters.length} lines`);
    expect(within(screen.getByRole('group', { name: 'Lines in the chart' })).getAllByRole('button')).toHaveLength(gauges.length + meters.length + 1);
  });
  test('asks for the span that is chosen and remembers it', async () => {
    await open(scenarios.low);
    await userEvent.click(screen.getByRole('radio', { name: 'The last 30 days' }));
    expect(asked('history').at(-1)?.args).toEqual({ range: '30d' });
    cleanup();
    await open(scenarios.low);
    expect((screen.getByRole('radio', { name: 'The last 30 days' }) as HTMLInputElement).checked).toBe(true);
    expect(asked('history')[0]?.args).toEqual({ range: '30d' });
  });
  test('shows and hides lines, and the table behind it follows', async () => {
    await open(scenarios.low);
    await allLines();
    expect(line('System disk').getAttribute('aria-pressed')).toBe('true');
    await userEvent.click(line('System disk'));
    await userEvent.click(line('Entries in /tmp'));
    expect(line('System disk').getAttribute('aria-pressed')).toBe('false');
    expect(tableHeads()).toContain('Entries in /tmp');
    expect(tableHeads()).not.toContain('System disk');
  });
  test('shows one gauge alone when its card is pressed, and all again', async () => {
    await open(scenarios.low);
    await allLines();
    await press('Show only System disk in the chart');
    expect(line('Sessions disk').getAttribute('aria-pressed')).toBe('false');
    await press('Show only System disk in the chart');
    expect(line('Sessions disk').getAttribute('aria-pressed')).toBe('true');
  });
  test('is asked for again when a point lands', async () => {
    await open(scenarios.low);
    await screen.findByRole('group', { name: 'Lines in the chart' });
    const before = asked('history').length;
    const { emit } = await import('../ipc');
    await emit('history-changed');
    await tick();
    expect(asked('history').length).toBe(before + 1);
  });
  test('tells forecasts and events in its table', async () => {
    await open(scenarios.low);
    await userEvent.click(screen.getByRole('radio', { name: 'The last 30 days' }));
    expect(await screen.findByText('Sessions disk is expected to be full 2 to 4 Dec')).toBeTruthy();
    expect(await screen.findByText(/13 Nov 2026, .*: Sessions disk: emptied/)).toBeTruthy();
  });
  test('says so where nothing was recorded', async () => {
    await open({ ...scenarios.low, past: { days: 0, emptied: null, asleep: [1, -1] } });
    expect(await screen.findByText('Nothing was recorded in this time yet.')).toBeTruthy();
  });
});

describe('a notification', () => {
  test('leads to its gauge when the window opens for it', async () => {
    await open(scenarios.critical);
    const button = await screen.findByRole('button', { name: 'Show only Sessions disk in the chart' });
    await soon(() => expect(document.activeElement).toBe(button));
    expect(button.getAttribute('aria-pressed')).toBe('true');
  });
  test('leads there from any panel while the window is open', async () => {
    await open(scenarios.low);
    await press('Settings');
    await backend.lead({ to: 'gauge', id: 'guest_system:c0ffee' });
    const button = await screen.findByRole('button', { name: 'Show only System disk in the chart' });
    await soon(() => expect(document.activeElement).toBe(button));
  });
  test('of a gauge that is gone leads to the overview all the same', async () => {
    await open(scenarios.low);
    await press('Settings');
    await backend.lead({ to: 'gauge', id: 'host_bytes:gone' });
    expect(await screen.findByRole('heading', { name: scenarios.low.status.summary })).toBeTruthy();
  });
});

describe('leftovers', () => {
  const panel = () => document.querySelector('nav [aria-current="page"]')?.getAttribute('data-panel');

  test('that can go are a line that leads to them, and stand on the side before anybody looked', async () => {
    await open(scenarios.low);
    expect(screen.getByRole('heading', { name: /^6,974 leftovers can go: 6\.37.GB$/ })).toBeTruthy();
    expect(said(document.body)).toContain('Looked 25 min ago.');
    expect(screen.getByRole('button', { name: /^Leftovers 6\.37.GB can go$/ })).toBeTruthy();
    expect(asked('leftovers')).toEqual([]);
    await press('See them');
    expect(panel()).toBe('leftovers');
    // Seen since then: what was told before is old.
    await screen.findByRole('button', { name: /^Leftovers 6\.41.GB can go$/ });
  });
  test('of which none can go, or that were not looked for, are no word', async () => {
    for (const leftovers of [null, { at: NOW - 60, count: 0, allocated: 0, inodes: 0 }]) {
      await open({ ...scenarios.low, status: { ...scenarios.low.status, leftovers } });
      expect(screen.queryByRole('button', { name: 'See them' })).toBeNull();
      expect(said(screen.getByRole('button', { name: /^Leftovers/ })).trim()).toBe('Leftovers');
      cleanup();
      clearMocks();
    }
  });
  test('are the remedy of a disk of this computer that fills, in its own measure', async () => {
    await open(scenarios.hostFull);
    expect(said(card('Disk /'))).toContain('Clean leftovers: 6.37 GB');
    expect(said(card('File count on /'))).toContain('Clean leftovers: 800,912 files');
    // Said once: by the headline's own button.
    expect(screen.queryByRole('button', { name: 'See them' })).toBeNull();
    await press('Clean 6,974 leftovers…');
    expect(panel()).toBe('leftovers');
    await press('Overview');
    await userEvent.click(within(card('Disk /')).getByRole('button', { name: /^Clean leftovers/ }));
    expect(panel()).toBe('leftovers');
  });
  test('are none for a guest’s disk, and none where none can go', async () => {
    await open(scenarios.low);
    expect(said(card('Sessions disk'))).not.toContain('Clean leftovers');
    expect(screen.queryByRole('button', { name: /^Clean .*leftovers…$/ })).toBeNull();
    cleanup();
    clearMocks();
    await open({ ...scenarios.hostFull, status: { ...scenarios.hostFull.status, leftovers: null } });
    expect(said(document.body)).not.toContain('Clean leftovers');
    expect(screen.getByRole('button', { name: 'See what takes the space' }).className).toContain('primary');
  });
  test('are where the tray and notifications lead, as is what was done', async () => {
    await open(scenarios.low);
    await backend.lead({ to: 'leftovers' });
    await screen.findByRole('heading', { level: 1, name: /^6,991 leftovers can go now/ });
    expect(panel()).toBe('leftovers');
    await backend.lead({ to: 'activity' });
    await soon(() => expect(panel()).toBe('activity'));
  });
});

describe('measuring', () => {
  test('for the first time shows how far it is, and the way out', async () => {
    await open(scenarios.first);
    const bar = screen.getByRole('progressbar');
    expect(bar.getAttribute('aria-valuetext')).toBe('2 of 5 places');
    expect(screen.getByText('48,211 files and folders so far')).toBeTruthy();
    expect(screen.queryByText('No temp folders were found.')).toBeNull();
    await userEvent.click(screen.getAllByRole('button', { name: 'Stop measuring' })[0]!);
    expect(asked('cancel_measurement')).toHaveLength(1);
  });
  test('is started by hand', async () => {
    await open(scenarios.fine);
    await userEvent.click(screen.getAllByRole('button', { name: 'Measure now' })[0]!);
    expect(asked('measure_now')).toHaveLength(1);
    expect(screen.getByRole('progressbar')).toBeTruthy();
  });
});

test('nothing found says what is looked for and leads to the settings', async () => {
  await open(scenarios.nothing);
  expect(screen.getByText(/Claude Desktop’s Cowork sandbox/)).toBeTruthy();
  await press('Add a folder in Settings');
  expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeTruthy();
});

test('what could not be read is counted, named and said to be missing', async () => {
  await open(scenarios.huge);
  expect(screen.getByRole('heading', { name: '1,417 places could not be read' })).toBeTruthy();
  expect(screen.getByText('and 1,397 more')).toBeTruthy();
});

test('a sum with a hole says “at least”, one that failed says why', async () => {
  await open(scenarios.unknown);
  expect(said(document.body)).toContain('at least 5.10 GB');
  expect(screen.getAllByText('The system refuses to let Sandtray read it').length).toBeGreaterThan(0);
  expect(screen.getByText('/var/tmp/agents')).toBeTruthy();
  expect(screen.getByText('It was there before and is gone')).toBeTruthy();
});

test('the temp folders of all jobs are one row, not a row without numbers for each', async () => {
  await open(scenarios.low);
  const row = screen.getAllByRole('row').find((row) => said(row).includes('3 temp folders of Claude Code jobs'))!;
  expect(said(row)).toContain('5.20 GB');
  expect(said(row)).toContain('2,650');
  expect(screen.queryByText('/home/ada/.claude/jobs/7f31c2/tmp', { selector: 'th *' })).toBeNull();
});

test('names with odd bytes are shown, not obeyed', async () => {
  await open(scenarios.huge);
  expect(said(document.body)).toContain('/tmp/with\\nnewline and');
  expect(said(document.body)).toContain('\\u{202e}gnp.tluser');
  expect(document.body.textContent).not.toContain('\u202e');
});

test('bundles list every file with both sizes', async () => {
  await open(scenarios.bundles);
  const rows = screen.getAllByRole('row', { hidden: true }).map(said);
  expect(rows.some((row) => /condadata\.img.*53\.7 GB.*0 B/.test(row))).toBe(true);
  expect(screen.getByText('Reached through a link')).toBeTruthy();
});

test('a bundle’s disks have three sizes side by side, and a sentence why they differ', async () => {
  await open(scenarios.bundles);
  const rows = screen.getAllByRole('row', { hidden: true }).map(said);
  expect(rows.some((row) => /sessiondata\.img.*10\.7 GB.*8\.54 GB.*2\.88 GB of 9\.80 GB/.test(row))).toBe(true);
  expect(rows.some((row) => /sessiondata\.img.*10\.7 GB.*1\.31 GB.*unknown/.test(row))).toBe(true);
  expect(screen.getByText(/Up to 5\.66 GB of what it takes is not used inside any more/)).toBeTruthy();
  expect(screen.getByText(/How much of it is used inside is not known now/)).toBeTruthy();
});

test('faults of Sandtray itself are told until they are gone', async () => {
  await open(scenarios.faults);
  expect(screen.getByText(/The history cannot be written now/)).toBeTruthy();
  expect(screen.getByText(/No space left on device/)).toBeTruthy();
  await backend.tell(scenarios.fine.status!);
  await soon(() => expect(screen.queryByText(/The history cannot be written now/)).toBeNull());
});

test('a demo is never taken for the real machine', async () => {
  await open(scenarios.demo);
  expect(screen.getByText('Demo')).toBeTruthy();
  expect(document.title).toBe('Sandtray (Demo)');
});

test('an engine that does not answer is said so, and asked again', async () => {
  await open(scenarios.broken);
  expect((await screen.findByRole('alert')).textContent).toContain('the engine has stopped');
  expect(screen.queryByText('88 %')).toBeNull();
  backend.status = scenarios.fine.status;
  await press('Try again');
  expect(await screen.findByRole('heading', { name: scenarios.fine.status!.summary })).toBeTruthy();
});

describe('settings', () => {
  const field = (name: string) => screen.getByRole('textbox', { name }) as HTMLInputElement;
  const low = 'Sessions disk, Low, % full';

  async function openSettings() {
    await open(scenarios.fine);
    await press('Settings');
    await screen.findByRole('heading', { level: 1, name: 'Settings' });
    await screen.findByRole('textbox', { name: low });
  }

  test('are shown as they are in force', async () => {
    await openSettings();
    expect(field(low).value).toBe('80');
    expect(field('System disk, Critical, GB available').value).toBe('0.3');
    expect(screen.getByText('/settings.toml')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull();
  });
  test('are stored with one press and say so', async () => {
    await openSettings();
    await userEvent.clear(field(low));
    await userEvent.type(field(low), '70');
    await userEvent.click(screen.getByRole('checkbox', { name: /Start when I log in/ }));
    await press('Save changes');
    expect(asked('save_settings')[0]?.args.patch).toMatchObject({ autostart: true, thresholds: { sessions_low_percent: 70 } });
    expect(await screen.findByText('Saved.')).toBeTruthy();
  });
  test('that are wrong lead to the field, with a reason', async () => {
    await openSettings();
    await userEvent.clear(field(low));
    await userEvent.type(field(low), '95');
    await press('Save changes');
    const critical = field('Sessions disk, Critical, % full');
    await soon(() => expect(document.activeElement).toBe(critical));
    expect(document.getElementById(critical.getAttribute('aria-describedby') ?? '')?.textContent).toContain('Must not be less than');
    expect(asked('save_settings')).toEqual([]);
  });
  test('survive a look at another panel, unsaved as they are', async () => {
    await openSettings();
    await userEvent.clear(field(low));
    await userEvent.type(field(low), '70');
    await press('Overview');
    await press('Settings');
    expect(field(low).value).toBe('70');
  });
  test('that could not be stored say what Rust said', async () => {
    await openSettings();
    backend.refuse = 'write settings.toml: No space left on device';
    await userEvent.click(screen.getByRole('checkbox', { name: /Show notifications/ }));
    await press('Save changes');
    expect((await screen.findByRole('alert')).textContent).toContain('No space left on device');
  });
  test('add folders through the system’s dialog and remove them by id', async () => {
    await openSettings();
    await press('Add a temp folder…');
    expect(asked('add_folder')[0]?.args).toEqual({ kind: 'root' });
    await press('Stop watching /home/ada/.config/Claude-work');
    expect(asked('remove_folder')[0]?.args).toEqual({ id: 'f2' });
    expect(JSON.stringify(backend.calls)).not.toContain('/mnt/');
  });
  test('that cannot be read say so and can be asked for again', async () => {
    await open(scenarios.broken);
    await press('Settings');
    expect((await screen.findByRole('alert')).textContent).toContain('the engine has stopped');
  });
});

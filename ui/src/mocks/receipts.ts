// Acts as they go and as they end.

import type { ActProgress } from '../bindings/ActProgress';
import type { ActReceipt } from '../bindings/ActReceipt';
import type { ActStep } from '../bindings/ActStep';
import type { EntryView } from '../bindings/EntryView';
import type { Rebuild } from '../bindings/Rebuild';
import { orphan } from './resets';
import { DAY, GB, HOUR, MB, NOW } from './parts';

const ORDER: readonly ActStep[] = ['quit', 'prove', 'record', 'move', 'prove_again', 'latch', 'compare', 'relaunch', 'watch', 'verify'];
const QUICK = 2;

/** An act that has come as far as this step. */
export function progress(id: string, step: ActStep, own: Partial<ActProgress> = {}): ActProgress[] {
  const at = ORDER.indexOf(step);
  const since = own.since ?? NOW - 4;
  return ORDER.slice(0, at + 1).map((one, index): ActProgress => {
    const last = index === at;
    return {
      schema: 1,
      id,
      step: one,
      state: last ? 'begun' : 'done',
      since: last ? since : since - (at - index) * QUICK,
      waiting_for: '',
      can_cancel: last && at < 3,
      rebuild: null,
      ...(last ? own : {}),
    };
  });
}

export const quitting = (id: string) => progress(id, 'quit', { since: NOW - 23, waiting_for: 'Claude Desktop is closing' });
export const watching = (id: string, rebuild: Rebuild, since = NOW - 74) => progress(id, 'watch', { since, waiting_for: 'the rebuild', rebuild });

export function receipt(own: Partial<ActReceipt> = {}): ActReceipt {
  return {
    schema: 1,
    id: 'plan-c0ffee-session_disk',
    kind: 'reset',
    scope: 'session_disk',
    end: 'done',
    outcome: 'Cowork has an empty sessions disk; the old one is parked.',
    refusals: [],
    begun_at: NOW - 96,
    ended_at: NOW - 4,
    parked: 'k1',
    moved: 8.54 * GB,
    fills: [{ kind: 'guest_sessions', before: 9.3 * GB, after: 1.1 * MB }],
    available_before: 143 * GB,
    available_after: 142.7 * GB,
    sessions: { count: 1204, untouched: true, differing: [], missing: [], changed_by_app: 12, unreadable: [] },
    rebuild: { state: 'ready' },
    quit: true,
    relaunched: true,
    notes: [],
    ...own,
  };
}

export const doneReady = receipt();
export const doneWaiting = receipt({
  outcome: 'The old disks are parked; Claude builds new ones when you open a Cowork task next.',
  scope: 'bundle',
  moved: 15.5 * GB,
  fills: [
    { kind: 'guest_sessions', before: 9.3 * GB, after: null },
    { kind: 'guest_system', before: 9.18 * GB, after: null },
  ],
  rebuild: { state: 'waiting' },
});
export const failedRebuild = receipt({
  scope: 'bundle',
  outcome: 'The old disks are parked, but the rebuild failed: the checksum of rootfs.img.zst does not match.',
  moved: 15.5 * GB,
  fills: [
    { kind: 'guest_sessions', before: 9.3 * GB, after: null },
    { kind: 'guest_system', before: 9.18 * GB, after: null },
  ],
  rebuild: { state: 'failed', cause: 'the checksum of rootfs.img.zst does not match' },
  notes: ['The download was begun three times.'],
});
export const rolledBack = receipt({
  end: 'rolled_back',
  outcome: 'Claude Desktop started again by itself while its disks were being moved.',
  parked: null,
  moved: 0,
  fills: [],
  available_after: 143 * GB,
  sessions: { count: 1204, untouched: true, differing: [], missing: [], changed_by_app: 0, unreadable: [] },
  rebuild: null,
  relaunched: false,
});
export const refusedEnd = receipt({ end: 'refused', outcome: orphan.text, refusals: [orphan], parked: null, moved: 0, fills: [], sessions: null, rebuild: null, relaunched: false });
export const interrupted = receipt({
  end: 'interrupted',
  outcome: 'It was cut off after two of six files had moved; they stand in the parked copy k1, and Claude has begun new ones.',
  fills: [],
  sessions: { count: 1204, untouched: false, differing: [], missing: [{ path: 'local-agent-mode-sessions/a1/o1/local_9f2e.json' }], changed_by_app: 0, unreadable: [{ path: 'local-agent-mode-sessions/a1/o1/locked' }] },
  rebuild: null,
  relaunched: false,
});
export const restored = receipt({ id: 'restore-k1', kind: 'restore', outcome: 'The parked session disk is back in its place; the one that was there is parked.', parked: 'k9' });
export const trashed = receipt({
  id: 'trash-k1',
  kind: 'trash',
  outcome: 'The parked session disk is in the trash.',
  parked: null,
  fills: [],
  sessions: null,
  rebuild: null,
  quit: false,
  relaunched: false,
  available_after: 143 * GB,
  notes: ['Nothing is free until the trash is emptied.'],
});

/** One line of the record. */
export function entryOf(receipt: ActReceipt, own: Partial<EntryView> = {}): EntryView {
  const { id, kind, scope, end, begun_at, ended_at, outcome } = receipt;
  return { id, kind, scope, state: end, begun_at, ended_at, outcome, receipt, ...own };
}

/** What was done in a few weeks. */
export const record: EntryView[] = [
  doneReady,
  { ...refusedEnd, id: 'e2', begun_at: NOW - 5 * HOUR, ended_at: NOW - 5 * HOUR + 41 },
  { ...rolledBack, id: 'e3', begun_at: NOW - DAY, ended_at: NOW - DAY + 9 },
  { ...trashed, id: 'e4', begun_at: NOW - 4 * DAY, ended_at: NOW - 4 * DAY + 1 },
  { ...restored, id: 'e5', begun_at: NOW - 9 * DAY, ended_at: NOW - 9 * DAY + 70 },
  { ...interrupted, id: 'e6', begun_at: NOW - 11 * DAY, ended_at: NOW - 11 * DAY + 4 * HOUR },
  { ...failedRebuild, id: 'e7', begun_at: NOW - 16 * DAY, ended_at: NOW - 16 * DAY + 131 },
].map((receipt) => entryOf(receipt));

/** Begun, and nothing more is known of it. */
export const cutOff: EntryView = { id: 'e0', kind: 'reset', scope: 'bundle', state: 'interrupted', begun_at: NOW - 2.4 * HOUR, ended_at: null, outcome: '', receipt: null };

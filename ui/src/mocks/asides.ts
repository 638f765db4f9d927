// Leftovers that were moved aside, as they are met and as they should not be.

import type { CleanReceipt } from '../bindings/CleanReceipt';
import type { ParkedLeftovers } from '../bindings/ParkedLeftovers';
import { partly, receipt, scheduled } from './cleans';
import { DAY, GB, HOUR, MB, NOW } from './parts';

const LONG = '/Volumes/Backup of the old computer/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/.sandtray-parked';

export const aside = (own: Partial<ParkedLeftovers> & Pick<ParkedLeftovers, 'id'>): ParkedLeftovers => ({
  parked_at: NOW - 3 * HOUR,
  count: 89,
  allocated: 2.31 * GB,
  classes: [{ reason: 'task output of ended sessions', count: 89 }],
  state: 'there',
  path: `/tmp/.sandtray-parked-1000/${own.id}`,
  ...own,
});

export const single = [aside({ id: 'left-k7' })];
export const several = [
  aside({ id: 'left-k9', parked_at: NOW - 40 * 60, count: 1, allocated: 12.4 * MB, classes: [{ reason: 'crash dumps', count: 1 }] }),
  ...single,
  aside({
    id: 'left-k5',
    parked_at: NOW - 6 * DAY,
    count: 31_204,
    allocated: 18.7 * GB,
    classes: [
      { reason: 'task output of ended sessions', count: 28_111 },
      { reason: 'write overlays of finished commands that somebody gave a name that goes on and on', count: 3012 },
      { reason: 'crash dumps', count: 64 },
      { reason: 'odd \u202enames\nof files', count: 12 },
      { reason: 'spare copies of settings', count: 5 },
    ],
    path: LONG,
  }),
  // Where the disk is not connected, nothing of it can be counted.
  aside({ id: 'left-k2', parked_at: NOW - 47 * DAY, count: 0, allocated: 0, classes: [], state: 'absent', path: `${LONG}/left-k2` }),
];

/** Clean-ups on record, newest first. */
export const recorded: CleanReceipt[] = [
  receipt({ id: 'clean-9', begun_at: NOW - 40 * 60, ended_at: NOW - 40 * 60 + 4, removed: 1, parts: [{ ...receipt().parts[0]!, title: 'crash dumps', tier: 'ask', count: 1, allocated: 12.4 * MB, shared: 0, inodes: 1, parks: true }], freed_measured: 0, inodes_freed: 0, parked: 'left-k9', outcome: '1 leftover moved aside.' }),
  { ...scheduled.last!, outcome: '6,991 leftovers removed. 6.38 GB came free.' },
  { ...partly.last!, id: 'clean-5', begun_at: NOW - 6 * DAY, ended_at: NOW - 6 * DAY + 412, outcome: '8 leftovers removed, 228 kept, 1,414 failed. 174 MB came free.' },
  receipt({ id: 'clean-4', begun_at: NOW - 9 * DAY, ended_at: NOW - 9 * DAY + 12, removed: 2106, cancelled: true, freed_measured: 8.6 * MB, inodes_freed: 2106, parts: [{ ...receipt().parts[2]!, count: 2106, allocated: 8.6 * MB, inodes: 2106 }], outcome: '2,106 leftovers removed. 8.60 MB came free. It was stopped before its end.' }),
  receipt({ id: 'clean-3', by: 'schedule', begun_at: NOW - 12 * DAY, ended_at: NOW - 12 * DAY + 1, removed: 0, parts: [], freed_measured: 0, inodes_freed: 0, skipped: [{ reason: 'a sandbox began to use it', count: 12 }], outcome: 'Nothing was removed, 12 kept.' }),
];

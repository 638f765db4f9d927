// Clean-ups that run, and how they end.

import type { Cleaning } from '../bindings/Cleaning';
import type { CleanProgress } from '../bindings/CleanProgress';
import type { CleanReceipt } from '../bindings/CleanReceipt';
import { heavy, previewOf, still } from './leftovers';
import { GB, HOUR, MB, NOW } from './parts';

const all = previewOf(heavy, { groups: ['g-overlay', 'g-empty', 'g-mux', 'g-addon'], candidates: [], for_good: false });
const parts = all.parts.map((part) => ({ ...part, kept: [] }));
const asked = previewOf(heavy, { groups: ['g-output'], candidates: [], for_good: false }).parts.map((part) => ({ ...part, kept: [] }));

export const progress: CleanProgress = { schema: 1, id: 'clean-1', class: 'empty_mount_source', title: 'empty mount sources', done: 2112, total: 6991, removed: 2106, skipped: 6 };

export const receipt = (own: Partial<CleanReceipt> = {}): CleanReceipt => ({
  schema: 1,
  id: 'clean-1',
  by: 'person',
  begun_at: NOW - 48,
  ended_at: NOW - 7,
  outcome: '',
  parts,
  removed: 6991,
  skipped: [],
  failed: [],
  more_failed: 0,
  freed_measured: 6.38 * GB,
  inodes_freed: 801_137,
  parked: null,
  cancelled: false,
  notes: [],
  ...own,
});

const last = (own: Partial<CleanReceipt>): Cleaning => ({ running: null, last: receipt(own), parked: [] });

export { still };
export const runs: Cleaning = { running: progress, last: null, parked: [] };
export const done = last({});
export const partly = last({
  removed: 8,
  parts: [{ ...parts[0]!, count: 8, allocated: 180 * MB, inodes: 24_110 }],
  freed_measured: 174 * MB,
  inodes_freed: null,
  skipped: [
    { reason: 'changed since it was shown', count: 14 },
    { reason: 'a process has it open (python3, 41877)', count: 3 },
    { reason: 'it is gone already', count: 211 },
  ],
  failed: [
    { operation: 'unlink', path: '/home/ada/.claude/jobs/7f31c2/tmp/tmp.9aGq2XbT41/opt/homebrew/lib/python3.13/__pycache__/abc.cpython-313.pyc', cause: 'Operation not permitted (os error 1)' },
    { operation: 'open', path: '/tmp/claude-empty-Zq81aB', cause: 'Input/output error (os error 5)' },
  ],
  more_failed: 1412,
  notes: ['174 MB came free of 6.13 GB that were expected: 1,414 files could not be removed'],
});
export const parkedEnd = last({ parts: [...parts, ...asked], removed: 7080, parked: 'left-k7', notes: ['the disk of this WSL2 system does not shrink on Windows by itself: compact it there'] });
export const onlyParked = last({ parts: asked, removed: 89, freed_measured: 0, inodes_freed: 0, parked: 'left-k7' });
export const stopped = last({ removed: 2106, cancelled: true, parts: [{ ...parts[2]!, count: 2106, allocated: 8.6 * MB, inodes: 2106 }], freed_measured: 8.6 * MB, inodes_freed: 2106, outcome: 'stopped after 2,112 of 6,991' });
export const wrote = last({ freed_measured: -121 * MB, inodes_freed: -311, notes: ['other programs wrote more than came free while it ran'] });
export const nothing = last({ removed: 0, parts: [], freed_measured: 0, inodes_freed: 0, skipped: [{ reason: 'a sandbox began to use it', count: 12 }] });
export const scheduled = last({ id: 'clean-s', by: 'schedule', begun_at: NOW - 9 * HOUR, ended_at: NOW - 9 * HOUR + 31 });

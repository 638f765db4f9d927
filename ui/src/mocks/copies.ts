// Parked copies, and what putting them back or discarding them would do.

import type { ActPreview } from '../bindings/ActPreview';
import type { ParkedCopy } from '../bindings/ParkedCopy';
import type { ParkedFile } from '../bindings/ParkedFile';
import type { Scope } from '../bindings/Scope';
import { DAY, GB, MB, NOW } from './parts';
import { preview } from './resets';

const RELEASE = '5680b11bcdab0c1f';
const SESSION: ParkedFile[] = [{ path: 'sessiondata.img', role: 'session_data', apparent: 10_737_418_240, allocated: 8.54 * GB, release: null }];
const SYSTEM: ParkedFile[] = [
  { path: 'rootfs.img', role: 'system', apparent: 10_737_418_240, allocated: 5.63 * GB, release: RELEASE },
  { path: '.rootfs.img.origin', role: 'origin', apparent: 64, allocated: 4096, release: null },
  { path: 'initrd', role: 'boot', apparent: 21_400_000, allocated: 21_401_600, release: RELEASE },
  { path: 'vmlinuz', role: 'boot', apparent: 14_200_000, allocated: 14_200_832, release: RELEASE },
];
const FILES: Record<Scope, ParkedFile[]> = { session_disk: SESSION, system_disk: SYSTEM, bundle: [...SESSION, ...SYSTEM] };

export function copy(own: Partial<ParkedCopy> & Pick<ParkedCopy, 'id' | 'scope'>): ParkedCopy {
  const files = FILES[own.scope];
  return {
    bundle: 'c0ffee',
    parked_at: NOW - 96,
    allocated: files.reduce((sum, { allocated }) => sum + allocated, 0),
    state: 'whole',
    verified: true,
    homes: own.scope === 'system_disk' ? null : { disk: 'guest_sessions:c0ffee', count: 1634, allocated: 8.2 * GB, oldest: NOW - 90 * DAY, read_at: NOW - 200 },
    files,
    path: `/home/ada/.local/share/sandtray/parked/${own.id}`,
    ...own,
  };
}

export const one = [copy({ id: 'k1', scope: 'session_disk' })];

const LONG = '/Volumes/External disk of the whole department, third floor/Users/ada/Library/Application Support/.sandtray-parked/20261113-090000-a-very-long-name';
/** A dozen, in every state. */
export const dozen: ParkedCopy[] = [
  ...one,
  copy({ id: 'k2', scope: 'bundle', parked_at: NOW - DAY, verified: false }),
  copy({ id: 'k3', scope: 'system_disk', parked_at: NOW - 6 * DAY }),
  copy({ id: 'k4', scope: 'bundle', parked_at: NOW - 9 * DAY, state: 'changed', path: LONG }),
  copy({ id: 'k5', scope: 'session_disk', parked_at: NOW - 16 * DAY, state: 'absent', homes: null, path: LONG }),
  copy({ id: 'k6', scope: 'session_disk', parked_at: NOW - 21 * DAY, state: 'discarding', allocated: 2.1 * GB }),
  ...Array.from({ length: 6 }, (_, at) => copy({ id: `k${at + 7}`, scope: 'session_disk', parked_at: NOW - (40 + at * 61) * DAY, allocated: (0.4 + at) * GB })),
];

/** What putting one back would do. */
export function restoreOf(of: ParkedCopy, own: Partial<ActPreview> = {}): ActPreview {
  const there = of.scope === 'system_disk' ? 5.6 * GB : of.scope === 'bundle' ? 5.9 * GB : 270 * MB;
  return preview({
    id: `restore-${of.id}`,
    kind: 'restore',
    scope: of.scope,
    copy: of.id,
    moved: there,
    needed: 50 * MB,
    files: [
      { path: 'sessiondata.img', role: 'session_data', apparent: 10_737_418_240, allocated: there, back: false },
      ...of.files.map(({ path, role, apparent, allocated }) => ({ path, role, apparent, allocated, back: true })),
    ],
    ...own,
  });
}

/** What discarding one would do. */
export function discardOf(of: ParkedCopy, forGood: boolean, own: Partial<ActPreview> = {}): ActPreview {
  return preview({
    id: `${forGood ? 'remove' : 'trash'}-${of.id}`,
    kind: forGood ? 'remove' : 'trash',
    scope: of.scope,
    copy: of.id,
    parked: null,
    moved: of.allocated,
    needed: 0,
    running: false,
    refusals: of.verified ? [] : [{ reason: 'not_verified', text: 'The new disks have not been seen working yet, so the old ones are kept.' }],
    ...own,
  });
}

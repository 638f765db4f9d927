// How a rescue can end.

import type { Receipt } from '../bindings/Receipt';
import type { Refusal } from '../bindings/Refusal';
import type { RescueEnd } from '../bindings/RescueEnd';

const receipt: Receipt = {
  schema: 1,
  target: { path: '/home/ada/Documents/From the sandbox, November 2026' },
  files: 4_120,
  dirs: 391,
  symlinks: 12,
  hard_links: 0,
  apparent: 802_000_000,
  written: 791_000_000,
  skipped: 0,
  skips: [],
  renamed: 0,
  renames: [],
  failed: 0,
  failures: [],
  unkept: 0,
  cancelled: false,
  complete: true,
};

const done = (own: Partial<Receipt> = {}): RescueEnd => ({ outcome: 'done', receipt: { ...receipt, ...own } });
const refused = (refusal: Refusal): RescueEnd => ({ outcome: 'refused', refusal });

/** Everything came out. */
export const rescued = done();

/** Much came out; the rest is named. */
export const rescuedPartly = done({
  hard_links: 31,
  apparent: 2_900_000_000,
  skipped: 214,
  skips: [
    { reason: 'link_leads_out', path: 'brave-calm-curie/mnt', target: { path: '/mnt/user-data' } },
    { reason: 'special_file', path: 'brave-calm-curie/.X11-unix/X0' },
    { reason: 'encrypted', path: 'keen-sharp-bohr/mR8fQ2VxYmFzZTY0b2ZieXRlcw' },
    { reason: 'link_not_held', path: 'keen-sharp-bohr/latest', target: { path: 'run-12' } },
  ],
  renamed: 2,
  renames: [
    { path: 'keen-sharp-bohr/aux.txt', name: 'aux_.txt' },
    { path: 'keen-sharp-bohr/what: a\nname?', name: 'what_ a_name_' },
  ],
  failed: 3,
  failures: [
    { operation: 'read file', path: 'brave-calm-curie/outputs/page-4.png', cause: 'the checksum of block 1,182,931 does not match' },
    { operation: 'read directory', path: 'brave-calm-curie/outputs/pages', cause: 'the extent tree is deeper than it may be' },
    { operation: 'write file', path: 'keen-sharp-bohr/core', cause: 'File too large (os error 27)' },
  ],
  unkept: 402,
  complete: false,
});

/** Somebody asked to stop. */
export const rescueStopped = done({ cancelled: true, complete: false, files: 812, dirs: 40, written: 120_000_000, apparent: 120_000_000 });

export const refusedForRoom = refused({ reason: 'not_enough_room', needed: 8_200_000_000, available: 1_100_000_000 });
export const refusedForName = refused({ reason: 'target_exists', path: '/home/ada/Documents/brave-calm-curie' });
export const refusedForFiles = refused({ reason: 'not_enough_inodes', needed: 412_000, available: 9_120 });
export const refusedForFolder = refused({ reason: 'not_a_folder', path: '/home/ada/Documents/notes.txt' });

/** It runs until it is stopped. */
export const copying = { progress: { entries: 1_204, written: 312_000_000 }, end: rescueStopped };
/** It could not even begin. */
export const failed = 'read sessiondata.img: the disk is no longer there; read it again';

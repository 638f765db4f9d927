// What lies inside the guest's disks of the scenarios: sessions as Cowork names them, with sizes spread
// as they are met, a few large and very many small.

import type { DiskId } from '../bindings/DiskId';
import type { Growth } from '../bindings/Growth';
import type { HomesSummary } from '../bindings/HomesSummary';
import type { InsideEntry } from '../bindings/InsideEntry';
import type { InsideView } from '../bindings/InsideView';
import type { RescueEnd } from '../bindings/RescueEnd';
import { noise } from './histories';
import { DAY, GB, HOUR, MB, NOW } from './parts';
import { rescued } from './rescues';

/** A disk behind the door. */
export interface InsideAnswer {
  /** Its top folder, or why it cannot be read. */
  top: InsideView | string;
  /** Folders below, by the id that leads there. */
  folders?: Record<string, InsideView>;
  /** A reading hangs after so many names, until it is cancelled. */
  hangs?: number;
  /** What a rescue gives: an end, one only after its cancelling, words, or nothing where no folder is chosen. */
  rescue?: RescueEnd | { progress: { entries: number; written: number }; end: RescueEnd } | string | null;
}
export type Insides = Record<DiskId, InsideAnswer>;

export function entry(own: Partial<InsideEntry> & Pick<InsideEntry, 'id' | 'path'>): InsideEntry {
  return { kind: 'dir', uid: 1001, first_change: NOW - 9 * DAY, last_change: NOW - 2 * DAY, allocated: 4096, entries: 1, newest: false, encrypted: false, ...own };
}

/** A folder's view; the whole is what its entries hold. */
export function view(disk: DiskId, image: string, entries: InsideEntry[], own: Partial<InsideView> = {}): InsideView {
  const allocated = entries.reduce((sum, { allocated }) => sum + allocated, 4096);
  return {
    disk,
    sessions: disk.startsWith('guest_sessions'),
    path: image,
    sizes: {
      apparent: 10_737_418_240,
      allocated: 8.54 * GB,
      guest_used: allocated + 4.2 * MB,
      guest_size: 9.3 * GB,
      sentence:
        'The image grows with what is written and does not shrink by itself: 340 MB on this computer hold nothing any more. Only a reset of this disk gives them back.',
    },
    read_at: NOW - 190,
    trail: [],
    entries: entries.sort((a, b) => b.allocated - a.allocated),
    allocated,
    orphans: { count: 0, allocated: 0 },
    unreached: { count: 0, allocated: 0 },
    gaps: [],
    damaged: 0,
    complete: true,
    cancelled: false,
    growth: null,
    ...own,
  };
}

const HOW = ['brave', 'calm', 'clever', 'dreamy', 'eager', 'festive', 'gallant', 'happy', 'inspiring', 'jolly', 'keen', 'loving', 'modest', 'nifty', 'optimistic', 'peaceful', 'quirky', 'relaxed', 'serene', 'sharp', 'tender', 'upbeat', 'vibrant', 'wizardly', 'youthful', 'zealous'];
const WHO = ['archimedes', 'bardeen', 'bell', 'bohr', 'cannon', 'cerf', 'clarke', 'cori', 'curie', 'darwin', 'einstein', 'euler', 'faraday', 'fermat', 'franklin', 'galileo', 'gauss', 'goldberg', 'hamilton', 'hawking', 'hopper', 'johnson', 'kepler', 'lamarr', 'lovelace', 'maxwell', 'meitner', 'newton', 'noether', 'pascal', 'planck', 'ramanujan', 'ride', 'rubin', 'shannon', 'tesla', 'turing', 'volta', 'wozniak', 'wright'];

/** So many session homes, holding so much together. */
function homes(count: number, together: number): InsideEntry[] {
  const random = noise(count);
  const weights = Array.from({ length: count }, (_, at) => 1 / (at + 6) ** 1.05);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, at) => {
    const made = Math.round(NOW - random() ** 1.4 * 90 * DAY - 2 * HOUR);
    const name = `${HOW[Math.floor(random() * HOW.length)]}-${HOW[Math.floor(random() * HOW.length)]}-${WHO[Math.floor(random() * WHO.length)]}`;
    return entry({
      id: `s${at.toString(16).padStart(5, '0')}`,
      path: name,
      uid: 1000 + (at % 40),
      first_change: made,
      last_change: Math.min(NOW - 300, made + Math.round(random() * 3 * DAY)),
      allocated: Math.round((together * weight) / all / 4096) * 4096,
      entries: Math.round((8000 * weight) / (weights[0] ?? 1)) + 11,
    });
  });
}

/** The newest are marked, and a few grew. */
function lived(entries: InsideEntry[], count: number): Growth {
  [...entries].sort((a, b) => b.last_change - a.last_change).slice(0, 10).forEach((one) => (one.newest = true));
  const fresh = [3, 17, 41];
  const older = [0, 5, 8, 30, 77, 120].slice(0, count);
  const grown = [
    ...fresh.flatMap((at) => {
      const one = entries[at];
      if (one === undefined) return [];
      Object.assign(one, { first_change: NOW - 9 * HOUR - at * 60, last_change: NOW - at * 240, newest: true });
      return [{ id: one.id, by: one.allocated, allocated: one.allocated, new: true, path: one.path }];
    }),
    ...older.flatMap((at, order) => {
      const one = entries[at];
      return one === undefined ? [] : [{ id: one.id, by: Math.round(14 * MB / (order + 1)), allocated: one.allocated, new: false, path: one.path }];
    }),
  ].sort((a, b) => b.by - a.by);
  return {
    since: NOW - 24.4 * HOUR,
    until: NOW - 190,
    grown,
    by: grown.reduce((sum, { by }) => sum + by, 0),
    gone: { count: 2, allocated: 31 * MB },
    shrunk: 4.4 * MB,
  };
}

/** What is in each home: the same few folders, some with more. */
function below(top: InsideView, of: InsideEntry, image: string): Record<string, InsideView> {
  const part = (share: number) => Math.round(of.allocated * share);
  const outputs = entry({ id: `${of.id}-out`, path: 'outputs', allocated: part(0.72), entries: Math.round(of.entries * 0.6), last_change: of.last_change });
  const first = view(
    top.disk,
    image,
    [
      outputs,
      entry({ id: `${of.id}-cache`, path: '.cache', allocated: part(0.2), entries: Math.round(of.entries * 0.3) }),
      entry({ id: `${of.id}-npm`, path: 'node_modules', allocated: part(0.07), entries: Math.round(of.entries * 0.1) }),
      entry({ id: `${of.id}-link`, path: 'mnt', kind: 'symlink', allocated: 0, entries: 0 }),
      entry({ id: `${of.id}-bash`, path: '.bash_history', kind: 'file', allocated: 4096, entries: 0 }),
    ],
    { trail: [{ id: of.id, path: of.path }], sizes: top.sizes },
  );
  const second = view(
    top.disk,
    image,
    [
      entry({ id: `${of.id}-pdf`, path: 'quarterly report, third draft with everybody’s comments and the annex (final) v7.pdf', kind: 'file', allocated: part(0.5), entries: 0 }),
      entry({ id: `${of.id}-csv`, path: 'rows.csv', kind: 'file', allocated: part(0.22), entries: 0 }),
    ],
    { trail: [{ id: of.id, path: of.path }, { id: outputs.id, path: outputs.path }], sizes: top.sizes },
  );
  return { [of.id]: first, [outputs.id]: second };
}

/** 1,634 sessions on a disk that is nearly full. */
export function sessionsDisk(disk: DiskId, image: string): InsideAnswer {
  const entries = homes(1634, 8.2 * GB);
  const growth = lived(entries, 6);
  const top = view(disk, image, entries, { growth, orphans: { count: 3, allocated: 1.2 * GB } });
  const [largest] = top.entries;
  return { top, folders: largest === undefined ? {} : below(top, largest, image), rescue: rescued };
}

/** 20,000 sessions, among them what a name can be. */
export function manySessions(disk: DiskId, image: string): InsideAnswer {
  const entries = homes(20_000, 8.2 * GB);
  const odd = ['line\nbreak and a\ttab', '\u202egnp.ton-ylimaf', 'a'.repeat(255), 'שלום עולם', 'セッションの作業フォルダー、二〇二六年十一月', 'emoji \u{1f9ea}\u{1f680}', 'lossy \ufffd\ufffd', ' leading and trailing ', '--rm'];
  odd.forEach((path, at) => {
    const one = entries[at];
    if (one !== undefined) one.path = path;
  });
  const secret = entries[odd.length];
  if (secret !== undefined) Object.assign(secret, { path: 'mR8fQ2VxYmFzZTY0b2ZieXRlcw', encrypted: true });
  const top = view(disk, image, entries, { growth: lived(entries, 3) });
  return { top, folders: Object.fromEntries(top.entries.slice(0, 12).flatMap((of) => Object.entries(below(top, of, image)))), rescue: rescued };
}

/** Another installation, not in use: few sessions, and no reading to compare with. */
export function otherSessions(disk: DiskId, image: string): InsideAnswer {
  const entries = homes(4, 1.2 * GB);
  return { top: view(disk, image, entries, { read_at: NOW - 40, sizes: { apparent: 10_737_418_240, allocated: 1.31 * GB, guest_used: null, guest_size: null, sentence: 'How much of it is in use is not known: the sandbox’s own record of it cannot be read now.' } }) };
}

export function emptyDisk(disk: DiskId, image: string): InsideAnswer {
  return {
    top: view(disk, image, [], {
      read_at: NOW - 40,
      sizes: { apparent: 10_737_418_240, allocated: 270 * MB, guest_used: 1.1 * MB, guest_size: 9.3 * GB, sentence: 'A new disk takes some room for its own records before anything is on it.' },
    }),
  };
}

/** Parts of it cannot be read. */
export function damagedDisk(disk: DiskId, image: string): InsideAnswer {
  const entries = homes(212, 3.4 * GB);
  const gaps = Array.from({ length: 100 }, (_, at) => ({
    operation: ['read directory', 'read inode', 'read file'][at % 3] ?? '',
    path: `/sessions/${entries[at]?.path ?? ''}/outputs/${at % 3 === 0 ? 'pages' : `page-${at}.png`}`,
    cause: at % 2 === 0 ? 'the checksum of block 1,182,931 does not match' : 'the extent tree is deeper than it may be',
  }));
  return {
    top: view(disk, image, entries, { gaps, damaged: 1417, complete: false, orphans: { count: 1, allocated: 4096 }, unreached: { count: 5_204, allocated: 1.9 * GB } }),
  };
}

export function systemDisk(disk: DiskId, image: string): InsideAnswer {
  const of: [name: string, bytes: number, entries: number][] = [
    ['usr', 3.61 * GB, 142_318], ['var', 1.42 * GB, 21_904], ['opt', 0.53 * GB, 9021], ['home', 212 * MB, 1840], ['root', 61 * MB, 312],
    ['boot', 44 * MB, 318], ['etc', 6.1 * MB, 1904], ['snap', 0.9 * MB, 12], ['srv', 4096, 0], ['mnt', 4096, 0], ['media', 4096, 0], ['tmp', 40_960, 9],
  ];
  const entries = of.map(([path, allocated, entries]) => entry({ id: `d-${path}`, path, uid: 0, allocated: Math.round(allocated), entries, first_change: NOW - 61 * DAY, last_change: NOW - (path === 'var' ? 240 : 30 * DAY) }));
  entries.push(entry({ id: 'd-bin', path: 'bin', kind: 'symlink', uid: 0, allocated: 0, entries: 0, first_change: NOW - 400 * DAY, last_change: NOW - 400 * DAY }));
  const [usr, variable] = [entries[0], entries[1]];
  const growth: Growth = {
    since: NOW - 24.4 * HOUR,
    until: NOW - 60,
    grown: variable === undefined ? [] : [{ id: variable.id, by: 14.2 * MB, allocated: variable.allocated, new: false, path: variable.path }],
    by: 14.2 * MB,
    gone: { count: 0, allocated: 0 },
    shrunk: 0,
  };
  const top = view(disk, image, entries, {
    growth,
    read_at: NOW - 60,
    sizes: { apparent: 10_737_418_240, allocated: 5.98 * GB, guest_used: 5.9 * GB, guest_size: 9.6 * GB, sentence: 'Nearly all of it is the system itself, which a new disk would have too.' },
  });
  return { top, folders: usr === undefined ? {} : below(top, usr, image), rescue: rescued };
}

/** The Windows virtual machine has it. */
export const locked: InsideAnswer = {
  top: 'read C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\vm_bundles\\claudevm.bundle\\sessiondata.vhdx: another process has it open (os error 32); it can be read when the sandbox has ended',
};

/** A reading that has come so far. */
export const hangs = (answer: InsideAnswer, seen: number): InsideAnswer => ({ ...answer, hangs: seen });

export function summaryOf({ top }: InsideAnswer): HomesSummary {
  if (typeof top === 'string') throw new Error('a disk that cannot be read has no summary');
  return {
    disk: top.disk,
    count: top.entries.length,
    allocated: top.allocated,
    oldest: top.entries.reduce((oldest, { first_change }) => Math.min(oldest, first_change), NOW),
    read_at: top.read_at,
  };
}

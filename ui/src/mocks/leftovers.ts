// Leftovers as they are met, with numbers from real reports; and Rust's answers about them.

import type { CandidatePage } from '../bindings/CandidatePage';
import type { CandidateView } from '../bindings/CandidateView';
import type { ClassView } from '../bindings/ClassView';
import type { CleanChoice } from '../bindings/CleanChoice';
import type { Cleaning } from '../bindings/Cleaning';
import type { CleanPreview } from '../bindings/CleanPreview';
import type { CleanReceipt } from '../bindings/CleanReceipt';
import type { DeletedOpen } from '../bindings/DeletedOpen';
import type { LeftoversView } from '../bindings/LeftoversView';
import { decimal, grouped } from '../format';
import { DAY, GB, HOUR, MB, NOW } from './parts';

export interface LeftoversAnswers {
  /** The look, or why there is none. */
  view: LeftoversView | string;
  /** Names seen by a look that does not end. */
  hangs?: number;
  /** Listing is refused with this. */
  unlisted?: string;
  /** Instead of what the choice would give. */
  preview?: Partial<CleanPreview> | string;
  /** Applying is refused with this. */
  refuse?: string;
  cleaning: Cleaning;
  /** What is on record, or why it cannot be read; the last clean-up where nothing is named. */
  receipts?: CleanReceipt[] | string;
  /** Putting back and discarding are refused with this. */
  kept?: string;
  /** Putting back and discarding take until somebody says so. */
  slow?: boolean;
}

const TMP = '/tmp';
const CLAUDE = '/tmp/claude-1000';
const JOBS = '/home/ada/.claude/jobs/7f31c2/tmp';

export function group(own: Partial<ClassView> & Pick<ClassView, 'id' | 'title' | 'count'>): ClassView {
  const dead = own.dead ?? own.count;
  const allocated = own.allocated ?? 0;
  return {
    class: own.id,
    tier: 'automatic',
    root: { path: TMP },
    memory: false,
    about: '',
    proof: '',
    cost: '',
    removable: true,
    dead,
    live: 0,
    unknown: own.count - dead - (own.live ?? 0),
    apparent: allocated,
    allocated,
    inodes: own.count,
    dead_allocated: own.count === 0 ? 0 : Math.round((allocated * dead) / own.count),
    dead_inodes: dead,
    oldest: NOW - 9 * DAY,
    rate_per_hour: 0,
    kept: [],
    from: [],
    remedy: '',
    ...own,
  };
}

export const overlays = group({
  id: 'g-overlay',
  title: 'write overlays of finished commands',
  root: { path: JOBS },
  count: 271,
  dead: 265,
  live: 4,
  allocated: 6.24 * GB,
  dead_allocated: 6.13 * GB,
  inodes: 812_400,
  dead_inodes: 794_411,
  rate_per_hour: 85,
  about: 'a folder that a command of a background job wrote compiled Python files into; Claude Code never removes it while the job runs',
  proof: 'nothing but compiled Python files in it, untouched for an hour, not the newest, and no program has it open',
  kept: [
    { reason: 'a process has it open (python3, 41877)', count: 3 },
    { reason: 'a process works in it (node, 40112)', count: 1 },
    { reason: 'the newest of its kind in this job', count: 1 },
    { reason: 'touched within the last hour', count: 1 },
  ],
  from: [{ reason: 'job 7f31c2 (“nightly refactor”)', count: 271 }],
  remedy: 'end the job when it is done: Claude Code clears the folder with it',
});
export const emptied = group({
  id: 'g-empty',
  title: 'empty mount sources',
  count: 4300,
  dead: 4288,
  unknown: 12,
  allocated: 17.6 * MB,
  rate_per_hour: 177,
  about: 'an empty folder that the sandbox of a command put in the place of a path it must not see; the command ended and left it',
  proof: 'empty, and no mount of any running sandbox uses it',
  kept: [{ reason: 'made after a session began that may use one for its whole life (claude, 38210)', count: 12 }],
  from: [
    { reason: 'ended sessions of this user', count: 4288 },
    { reason: 'session 5b1e… in /home/ada/code/shop', count: 12 },
  ],
  remedy: 'a Claude Code that carries sandbox-runtime 0.0.77 or later makes one a session instead of several a command',
});
const sockets = group({
  id: 'g-mux',
  title: 'dead sandbox sockets',
  count: 2403,
  dead: 2400,
  live: 3,
  rate_per_hour: 59,
  about: 'the address under which the network filter of a sandboxed session listened; the session ended and left it',
  proof: 'nobody listens on it, and the process that made it is gone',
  kept: [{ reason: 'a process listens on it (claude)', count: 3 }],
});
const addons = group({
  id: 'g-addon',
  title: 'copies of native libraries',
  count: 41,
  dead: 38,
  live: 3,
  allocated: 285.6 * MB,
  rate_per_hour: 0.4,
  about: 'a library that a program built with Bun unpacks at each start and leaves behind; not only Claude Code does that',
  proof: 'no process has it loaded, and it is older than every running one that could',
  kept: [{ reason: 'loaded by a process (claude)', count: 3 }],
});
export const outputs = group({
  id: 'g-output',
  title: 'task output of ended sessions',
  tier: 'ask',
  root: { path: CLAUDE },
  count: 95,
  dead: 89,
  live: 6,
  apparent: 1.4e12,
  allocated: 8.8 * GB,
  dead_allocated: 2.31 * GB,
  inodes: 95,
  dead_inodes: 89,
  rate_per_hour: 2.2,
  about: 'what background commands of a session printed; needed while the session runs or is resumed',
  proof: 'the session ended, and no program has the file open',
  cost: 'a resumed session cannot read back what its background commands printed',
  kept: [{ reason: 'its session runs (claude, 38210)', count: 6 }],
  from: [
    { reason: '/home/ada/code/shop', count: 51 },
    { reason: '/home/ada/code/customer/data-pipeline', count: 22 },
    { reason: '/home/ada/notes', count: 12 },
    { reason: 'a project that is gone', count: 10 },
  ],
});
const spare = group({
  id: 'g-zst',
  title: 'packed copies of a disk that was unpacked',
  tier: 'ask',
  root: { path: '/home/ada/.config/Claude/vm_bundles/claudevm.bundle' },
  count: 1,
  allocated: 1.19 * GB,
  about: 'the compressed download of the system disk, kept after it was unpacked',
  proof: 'Claude Desktop is closed, the unpacked disk is there, and no process has it open',
  cost: 'the next rebuild of the system disk downloads 1.19 GB instead of unpacking it',
});
export const tests = group({
  id: 'g-pytest',
  title: 'folders that test suites made',
  tier: 'report',
  removable: false,
  count: 185_541,
  dead: 0,
  unknown: 185_541,
  allocated: 30.1 * GB,
  inodes: 2_204_118,
  rate_per_hour: 250,
  oldest: NOW - 31 * DAY,
  about: 'folders with names as Python’s tempfile makes them; programs of every kind make such',
  proof: 'nothing can: who made them is not written anywhere',
  kept: [{ reason: 'who made it is unknown', count: 185_541 }],
  remedy: 'give the test suite a temp folder of its own for each run and remove it at the end: TMPDIR="$(mktemp -d)" pytest; rm -rf "$TMPDIR"',
});
export const worktrees = group({
  id: 'g-worktree',
  title: 'worktrees of agents',
  tier: 'report',
  root: { path: '/home/ada/code/shop/.claude/worktrees' },
  count: 27,
  dead: 9,
  live: 2,
  allocated: 11.2 * GB,
  inodes: 402_118,
  rate_per_hour: 0.2,
  about: 'working copies of a repository that agents worked in',
  proof: 'clean, its commits are pushed, and no session runs in it',
  cost: 'a worktree with work in it cannot be had back',
  kept: [
    { reason: 'holds changes that are not committed', count: 14 },
    { reason: 'a session runs in it', count: 2 },
    { reason: 'has commits that are nowhere else', count: 2 },
  ],
  remedy: '“git worktree remove” in the repository removes clean ones and refuses the others',
});

export const held: DeletedOpen[] = [
  { path: '/tmp/claude-1000/-home-ada-work-shop/5b1e2c44-7c1a-4a2e-9f55-0d1f8a6b3c21/tasks/bpnhmxvxm.output', apparent: 350 * GB, allocated: 41.2 * GB, pid: 38_210, process: 'claude' },
  { path: '/tmp/claude-1000/node-compile-cache/v22.11.0/3f2a (deleted)', apparent: 1.2 * MB, allocated: 1.2 * MB, pid: 40_112, process: 'node' },
];

export const view = (classes: ClassView[], own: Partial<LeftoversView> = {}): LeftoversView => ({
  schema: 1,
  at: NOW - 130,
  classes,
  deleted_open: [],
  gaps: [],
  more_gaps: 0,
  complete: true,
  notes: [],
  ...own,
});

export const heavy = view([overlays, addons, emptied, sockets, outputs, spare, tests, worktrees], { deleted_open: held });
export const still: Cleaning = { running: null, last: null, parked: [] };
export const answers = (of: LeftoversView | string, own: Partial<LeftoversAnswers> = {}): LeftoversAnswers => ({ view: of, cleaning: still, ...own });

const HEX = '0123456789abcdef';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
function letters(seed: number, from: string, count: number): string {
  let at = (seed * 2_654_435_761) >>> 0;
  let out = '';
  for (let i = 0; i < count; i += 1) {
    at = (at * 1_664_525 + 1_013_904_223) >>> 0;
    out += from.charAt(at % from.length);
  }
  return out;
}

const NAMES: Record<string, (at: number) => string> = {
  'g-empty': (at) => `claude-empty-${letters(at, LETTERS, 6)}`,
  'g-mux': (at) => `srt-mux-${30_000 + at}-1.sock`,
  'g-overlay': (at) => `tmp.${letters(at, LETTERS, 10)}`,
  'g-addon': (at) => `.${letters(at, HEX, 16)}-0000000${at % 9}.node`,
  'g-output': (at) => `-home-ada-work-${['shop', 'customer-data-pipeline', 'notes'][at % 3]}/${letters(at, HEX, 8)}-7c1a-4a2e-9f55-0d1f8a6b3c21/tasks/b${letters(at, LETTERS.toLowerCase(), 8)}.output`,
  'g-worktree': (at) => `agent-${letters(at, HEX, 8)}`,
  'g-pytest': (at) => `tmp${letters(at, 'abcdefghijklmnopqrstuvwxyz0123456789_', 8)}`,
};

/** The one at a place of a group: what is kept comes first, as a running session's output does. */
export function candidate(of: ClassView, at: number): CandidateView {
  const { count, dead, live } = of;
  const standing = at < live ? 'live' : at < count - dead ? 'unknown' : 'dead';
  const reasons = of.kept.flatMap(({ reason, count }) => Array.from({ length: Math.min(count, 50) }, () => reason));
  // The largest take most of it.
  const share = count < 2 ? 1 : 1 / ((at + 1) * (Math.log(count) + 0.58));
  const inodes = Math.max(1, Math.round(of.inodes / Math.max(1, count)));
  return {
    id: `${of.id}-${at}`,
    path: `${of.root.path}/${(NAMES[of.class] ?? ((at) => `leftover-${at}`))(at)}`,
    standing,
    reason: standing === 'dead' ? '' : (reasons[at % Math.max(1, reasons.length)] ?? ''),
    apparent: Math.round(of.apparent * share),
    allocated: Math.round(of.allocated * share),
    inodes,
    touched: NOW - 2 * HOUR - ((at * 977) % 1000) * 1000,
    from: standing === 'dead' ? (of.from[at % Math.max(1, of.from.length)]?.reason ?? '') : '',
  };
}

function page(of: ClassView, search: string, offset: number, limit: number): CandidatePage {
  const wanted = search.toLowerCase();
  if (wanted === '') {
    return { group: of.id, total: of.count, candidates: Array.from({ length: Math.max(0, Math.min(limit, of.count - offset)) }, (_, at) => candidate(of, offset + at)) };
  }
  const all = Array.from({ length: Math.min(of.count, 6000) }, (_, at) => candidate(of, at)).filter(({ path }) => path.toLowerCase().includes(wanted));
  return { group: of.id, total: all.length, candidates: all.slice(offset, offset + limit) };
}

/** What a choice would give. */
export function previewOf(of: LeftoversView, choice: CleanChoice): CleanPreview {
  const parts = of.classes.flatMap((one) => {
    const all = choice.groups.includes(one.id);
    const places = choice.candidates.flatMap((id) => (id.startsWith(`${one.id}-`) ? [Number(id.slice(one.id.length + 1))] : []));
    if (!all && places.length === 0) return [];
    const picked = places.map((at) => candidate(one, at));
    return [
      {
        class: one.class,
        title: one.title,
        root: one.root,
        tier: one.tier,
        count: all ? one.dead : picked.length,
        kept: all ? one.kept : [],
        allocated: all ? one.dead_allocated : picked.reduce((sum, { allocated }) => sum + allocated, 0),
        shared: one.id === 'g-overlay' && all ? 41 * MB : 0,
        inodes: all ? one.dead_inodes : picked.reduce((sum, { inodes }) => sum + inodes, 0),
        parks: one.tier !== 'automatic' && !choice.for_good,
        cost: one.cost,
      },
    ];
  });
  const gone = parts.filter(({ parks }) => !parks);
  return {
    schema: 1,
    id: parts.length === 0 ? '' : 'clean-1',
    parts,
    count: parts.reduce((sum, { count }) => sum + count, 0),
    frees: gone.reduce((sum, { allocated, shared }) => sum + allocated - shared, 0),
    frees_inodes: gone.reduce((sum, { inodes }) => sum + inodes, 0),
    parks: parts.reduce((sum, { parks, allocated }) => (parks ? sum + allocated : sum), 0),
    notes: [],
    refusals: [],
  };
}

/** Commands by name. `tell` sends what changed to the window, `hang` answers when somebody says so. */
export function leftoversAnswers(
  now: () => LeftoversAnswers,
  tell: (cleaning: Cleaning) => Promise<void>,
  hang: (event: string, progress: unknown, answer: unknown) => Promise<unknown>,
): Record<string, (args: Record<string, unknown>) => unknown> {
  const seen = () => {
    const { view } = now();
    if (typeof view === 'string') throw { text: view };
    return view;
  };
  /** A copy goes, and the window is told before the answer comes. */
  const moved = async (copy: string, say: (count: number, allocated: number) => string) => {
    if (now().slow === true) await hang('cleaning', now().cleaning, null);
    const { kept, cleaning } = now();
    if (kept !== undefined) throw { text: kept };
    const of = cleaning.parked.find(({ id }) => id === copy);
    if (of === undefined) throw { text: 'open the copy: there is none of this name' };
    await tell({ ...cleaning, parked: cleaning.parked.filter(({ id }) => id !== copy) });
    return say(of.count, of.allocated);
  };
  return {
    leftovers: () => {
      const { hangs } = now();
      return hangs === undefined ? seen() : hang('leftovers-progress', { seen: hangs }, null).then(() => seen());
    },
    leftover_candidates: ({ group, search, offset, limit }) => {
      const { unlisted } = now();
      if (unlisted !== undefined) throw { text: unlisted };
      const of = seen().classes.find(({ id }) => id === group);
      if (of === undefined) throw { text: 'list the leftovers: they were looked for again since; look again' };
      return page(of, search as string, offset as number, limit as number);
    },
    clean_view: ({ choice }) => {
      const { preview } = now();
      if (typeof preview === 'string') throw { text: preview };
      return { ...previewOf(seen(), choice as CleanChoice), ...preview };
    },
    apply_clean: () => {
      const { refuse } = now();
      if (refuse !== undefined) throw { text: refuse };
      return null;
    },
    cancel_clean: async () => {
      await tell({ ...now().cleaning, running: null });
      return null;
    },
    cleaning: () => now().cleaning,
    clean_receipts: () => {
      const { receipts, cleaning } = now();
      if (typeof receipts === 'string') throw { text: receipts };
      return receipts ?? (cleaning.last === null ? [] : [cleaning.last]);
    },
    restore_leftovers: ({ copy }) => moved(copy as string, (count) => `${grouped(count)} leftovers moved back`),
    discard_leftovers: ({ copy }) => moved(copy as string, (count, allocated) => `${grouped(count)} leftovers removed for good, ${decimal(allocated)} came free`),
  };
}

// Machines as they are met: each state of the window, with numbers from real reports.

import type { Lead } from '../bindings/Lead';
import type { SettingsView } from '../bindings/SettingsView';
import type { Status } from '../bindings/Status';
import type { ActingAnswers } from './acting';
import type { Past } from './histories';
import { damagedDisk, emptyDisk, hangs, type Insides, locked, manySessions, otherSessions, sessionsDisk, summaryOf, systemDisk } from './insides';
import type { LeftoversAnswers } from './leftovers';
import {
  bundle,
  bundleMeter,
  DAY,
  disk,
  empty,
  filling,
  gauge,
  GB,
  HOUR,
  meter,
  nothingKnown,
  NOW,
  root,
  rootMeters,
  settings,
  steady,
} from './parts';
import { actScenarios } from './scenarios-acts';
import { leftoverScenarios } from './scenarios-leftovers';

/** What the backend answers. */
export interface Scenario {
  /** None where asking fails. */
  status: Status | null;
  past: Past;
  settings: SettingsView;
  /** The gauge the window was opened for. */
  focus?: Lead;
  /** What is inside the guest's disks. */
  insides?: Insides;
  /** What is said about acts; a machine on which nothing was done where nothing is named. */
  acting?: ActingAnswers;
  /** What is said about leftovers; a heavily used machine where nothing is named. */
  leftovers?: LeftoversAnswers;
}

const SESSIONS = 'guest_sessions:c0ffee';
const SYSTEM = 'guest_system:c0ffee';
const HOST = 'host_bytes:a1';
const INODES = 'host_inodes:a1';

const PATH = '/home/ada/.config/Claude/vm_bundles/claudevm.bundle';
const cowork = bundle({
  id: 'c0ffee',
  path: PATH,
  disks: [
    disk({
      disk: SESSIONS,
      name: 'sessiondata.img',
      role: 'session_data',
      allocated: 8_540_000_000,
      guest_used: 2_880_000_000,
      guest_size: 9_800_000_000,
      sentence:
        'Empty parts of the file take no room on this computer. Up to 5.66 GB of what it takes is not used inside any more: deleting files in the sandbox gives this computer nothing back by itself, only compacting the disk or a reset does.',
    }),
    disk({
      disk: SYSTEM,
      name: 'rootfs.img',
      role: 'system',
      allocated: 5_630_000_000,
      guest_used: 5_900_000_000,
      guest_size: 9_800_000_000,
      sentence:
        'Empty parts of the file take no room on this computer. Nearly all it takes is used inside, and deleting files there gives this computer nothing back by itself.',
    }),
  ],
});
const tmp = root({ id: 't1', path: '/tmp' });
/** Each job has its own; they are measured as one. */
const jobs = [1, 2, 3].map((at) => root({ id: `j${at}`, path: `/home/ada/.claude/jobs/7f31c${at}/tmp`, why: 'job_temp', owner: 'own' }));
const allJobs = root({ id: 'jobs', path: '/home/ada/.claude/jobs' });
const claudeTmp = root({ id: 't2', path: '/tmp/claude-1000', why: 'claude_temp', owner: 'own' });

const sixteenDays: Past = { days: 24, emptied: 16, asleep: [6.6, 5.9] };

const fine: Status = {
  ...empty,
  summary: 'Everything has room',
  advice: 'The next to fill is the sessions disk, in about 4 months.',
  worst: SESSIONS,
  gauges: [
    gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', detail: PATH, used: 2.88 * GB, available: 6.42 * GB, limit: 9.3 * GB, forecast: filling(0.053 * GB, 121, 95, 160) }),
    gauge({ id: SYSTEM, kind: 'guest_system', name: 'System disk', detail: PATH, used: 5.9 * GB, available: 3.7 * GB, limit: 9.6 * GB, baseline: 5.6 * GB, forecast: steady(900_000) }),
    gauge({ id: HOST, kind: 'host_bytes', name: 'Disk /', detail: '/', used: 351 * GB, available: 143 * GB, limit: 494 * GB, forecast: filling(0.9 * GB, 158, 120, null) }),
    gauge({ id: INODES, kind: 'host_inodes', name: 'File count on /', detail: '/', used: 1_203_441, available: 29_316_559, limit: 30_520_000, forecast: steady(3120) }),
    gauge({ id: 'guest_sessions_inodes:c0ffee', kind: 'guest_sessions_inodes', name: 'File count on the sessions disk', detail: PATH, used: 48_211, available: 607_149, limit: 655_360, forecast: steady(310) }),
    gauge({ id: 'guest_system_inodes:c0ffee', kind: 'guest_system_inodes', name: 'File count on the system disk', detail: PATH, used: 201_400, available: 1_088_600, limit: 1_290_000, forecast: steady(0) }),
  ],
  meters: [bundleMeter(cowork, { rate_per_day: 0.053 * GB }), ...rootMeters(tmp, 0.41 * GB, 2148, {}, 0.03), ...rootMeters(claudeTmp, 38_000_000, 312)],
  bundles: [cowork],
  temp_roots: [tmp, claudeTmp],
  shapes: [
    { path: '/tmp', shape: 'claude-empty-*', count: 412 },
    { path: '/tmp', shape: 'srt-mux-*-*.sock', count: 96 },
  ],
};

const sessions = sessionsDisk(SESSIONS, PATH);
const system = systemDisk(SYSTEM, PATH);
const insides: Insides = { [SESSIONS]: sessions, [SYSTEM]: system };

const low: Status = {
  ...fine,
  homes: [summaryOf(sessions)],
  leftovers: { at: NOW - 25 * 60, count: 6974, allocated: 6.37 * GB, inodes: 800_912 },
  verdict: 'low',
  summary: 'The sessions disk will be full in about 3 days',
  advice:
    '8.20 GB of 9.30 GB are taken. Cowork keeps the files of its sessions on it; when it is full, every task fails before it starts. In Claude, Help > Troubleshooting > Free Up Cowork Disk Space clears caches inside it and leaves chats alone.',
  gauges: [
    gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', detail: PATH, used: 8.2 * GB, available: 1.1 * GB, limit: 9.3 * GB, verdict: 'low', cause: 'percent', forecast: filling(0.38 * GB, 2.95, 2.5, 4.6) }),
    ...fine.gauges.slice(1),
  ],
  meters: [bundleMeter(cowork, { rate_per_day: 0.38 * GB }), ...rootMeters(tmp, 6.1 * GB, 20_582, {}, 0.09), ...rootMeters(claudeTmp, 0.42 * GB, 3120, {}, 0.04), ...rootMeters(allJobs, 5.2 * GB, 2650, {}, 0.08)],
  temp_roots: [tmp, claudeTmp, ...jobs],
  shapes: [
    { path: '/tmp', shape: 'claude-empty-*', count: 2126 },
    { path: '/tmp', shape: 'srt-mux-*-*.sock', count: 1236 },
    { path: '/home/ada/.claude/jobs/7f31c2/tmp', shape: 'tmp.*', count: 265 },
  ],
};

const critical: Status = {
  ...low,
  verdict: 'critical',
  summary: 'The sessions disk is full',
  advice:
    '9.30 GB of 9.30 GB are taken. Cowork’s tasks fail before they start. If Cowork still starts, Help > Troubleshooting > Free Up Cowork Disk Space in Claude may make some room and leaves chats alone. Also: Disk / will be full in about 2 hours.',
  gauges: [
    gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', detail: PATH, used: 9.3 * GB, available: 0, limit: 9.8 * GB, verdict: 'critical', cause: 'full', full: true, forecast: { ...nothingKnown, reason: 'no_level' } }),
    gauge({ id: SYSTEM, kind: 'guest_system', name: 'System disk', detail: PATH, used: 9.18 * GB, available: 0.42 * GB, limit: 9.6 * GB, verdict: 'low', cause: 'available', forecast: filling(0.21 * GB, 2, 1.4, 3.5) }),
    gauge({ id: HOST, kind: 'host_bytes', name: 'Disk /', detail: '/', used: 489 * GB, available: 4.6 * GB, limit: 494 * GB, verdict: 'critical', cause: 'time', forecast: filling(70 * GB, 0.066, 0.05, 0.09) }),
    ...fine.gauges.slice(3),
  ],
};

const firstMeasure: Status = {
  ...empty,
  verdict: 'unknown',
  summary: 'Measuring for the first time',
  advice: 'Claude’s disks and the temp folders are looked for and read.',
  worst: null,
  gauges: [
    gauge({ id: HOST, kind: 'host_bytes', name: 'Disk /', used: 351 * GB, available: 143 * GB, limit: 494 * GB }),
    gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', reason: 'not_measured' }),
  ],
  measured_at: null,
  progress: { done: 2, total: 5, entries: 48_211, since: NOW - 9 },
};

const nothing: Status = {
  ...empty,
  summary: 'No sandbox storage found yet',
  advice: 'Claude’s Cowork has made no disks here and no folder of Claude Code was found. Disks and temp folders are watched meanwhile.',
  worst: HOST,
  gauges: fine.gauges.slice(2, 4),
  meters: rootMeters(tmp, 12_000_000, 214),
  temp_roots: [tmp],
};

const unknown: Status = {
  ...fine,
  verdict: 'unknown',
  summary: 'The sessions disk is in use and cannot be read now',
  advice: 'Claude holds it while Cowork runs. It is read again when Cowork is quiet.',
  worst: SESSIONS,
  gauges: [
    gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', reason: 'busy', as_of: NOW - 3.2 * HOUR, forecast: { ...nothingKnown, reason: 'no_level' } }),
    gauge({ id: SYSTEM, kind: 'guest_system', name: 'System disk', reason: 'corrupt', as_of: NOW - 2 * DAY, forecast: { ...nothingKnown, reason: 'no_level' } }),
    ...fine.gauges.slice(2, 3).map((known) => ({ ...known, as_of: NOW - 3.2 * HOUR, forecast: { ...nothingKnown, reason: 'too_noisy' as const } })),
    gauge({ id: 'host_bytes:nas', kind: 'host_bytes', name: 'Disk /mnt/nas', detail: '/mnt/nas', reason: 'timed_out', as_of: NOW - 40 }),
    gauge({ id: 'host_bytes:shm', kind: 'host_bytes', name: 'Memory /tmp', detail: '/tmp', used: 5.1 * GB, available: 2.9 * GB, memory: true, forecast: { ...nothingKnown, reason: 'too_short' } }),
  ],
  meters: [
    bundleMeter(cowork, { value: null, reason: 'denied' }),
    ...rootMeters({ ...tmp, memory: true }, 5.1 * GB, 20_582, { complete: false, rate_per_day: null }),
    ...rootMeters(claudeTmp, 0, 0, { value: null, reason: 'denied' }),
    meter({ id: 'root_allocated:gone', kind: 'root_allocated', name: 'Temp folder /var/tmp/agents', detail: '/var/tmp/agents', value: null, reason: 'missing' }),
  ],
  temp_roots: [{ ...tmp, filesystem: 'tmpfs', memory: true }, { ...claudeTmp, owner: 'foreign' }],
  gaps: [
    { operation: 'read directory', path: '/tmp/systemd-private-8a2f/tmp', cause: 'Permission denied (os error 13)' },
    { operation: 'open', path: '/home/ada/.config/Claude/vm_bundles/claudevm.bundle/rootfs.img', cause: 'the group descriptors contradict the superblock' },
    { operation: 'stat', path: '/tmp/odd\nname\ufffd', path_bytes: 'L3RtcC9vZGQKbmFtZf8=', cause: 'Permission denied (os error 13)' },
  ],
  gap_count: 3,
};

const LONG = '/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/claude-501/-Users-ada-work-customer-projects-very-long-name';
const manyRoots = Array.from({ length: 12 }, (_, at) =>
  root({
    id: `r${at}`,
    path: at === 0 ? '/tmp' : at === 3 ? '/tmp/with\nnewline and \ufffd\ufffd bytes' : at === 4 ? '/tmp/\u202egnp.tluser' : `${LONG}-${at}/tmp`,
    why: at === 0 ? 'system_temp' : at < 3 ? 'user_temp' : at < 9 ? 'job_temp' : 'configured',
    owner: at === 7 ? 'foreign' : at === 8 ? 'unknown' : 'own',
    filesystem: at % 5 === 4 ? 'tmpfs' : 'apfs',
    memory: at % 5 === 4,
  }),
);

const huge: Status = {
  ...low,
  summary: 'Disk / will have no room for more files in about 5 days',
  advice:
    '27,400,000 of 30,520,000 files exist. A disk can only hold so many files, large or small: then writing fails although space is left. Look for folders with very many small files; the window shows the largest groups.',
  worst: INODES,
  gauges: [
    gauge({ id: INODES, kind: 'host_inodes', name: 'File count on /', used: 27_400_000, available: 3_120_000, limit: 30_520_000, verdict: 'low', cause: 'percent', forecast: filling(600_000, 5.2, 4.1, 7) }),
    ...fine.gauges.slice(0, 3),
    ...Array.from({ length: 9 }, (_, at) =>
      gauge({ id: `host_bytes:v${at}`, kind: 'host_bytes', name: `Disk /Volumes/Backup …ld computer ${at}`, detail: `/Volumes/${at}`, used: (100 + 77 * at) * GB, available: 900 * GB, limit: (1000 + 77 * at) * GB, live: at % 2 === 0, forecast: steady(0) }),
    ),
  ],
  meters: [bundleMeter(cowork), ...manyRoots.flatMap((of, at) => rootMeters(of, at === 0 ? 30.1 * GB : 0.13 * GB * at, at === 0 ? 200_000 : 71 * at * at, {}, at === 0 ? 0.03 : 0.001))],
  temp_roots: manyRoots,
  shapes: [
    { path: '/tmp', shape: 'tmp*', count: 185_541 },
    { path: '/tmp', shape: 'claude-empty-*', count: 2126 },
    { path: '/tmp', shape: 'pytest-of-*', count: 871 },
    { path: `${LONG}-2/tmp`, shape: 'a-shape-that-is-itself-long-because-people-name-things-like-*-this-*-and-like-*-that', count: 265 },
    { path: '/tmp/with\nnewline and \ufffd\ufffd bytes', path_bytes: 'L3RtcC//', shape: 'odd\n*\u202e*', count: 88 },
  ],
  gaps: Array.from({ length: 20 }, (_, at) => ({ operation: 'read directory', path: `/tmp/systemd-private-${at}${LONG}`, cause: 'Permission denied (os error 13)' })),
  gap_count: 1417,
};

const faults: Status = {
  ...fine,
  faults: [
    { kind: 'history_in_memory', text: 'write /home/ada/.local/share/sandtray/history.db: No space left on device (os error 28)' },
    { kind: 'settings_unknown_keys', text: '/home/ada/.config/sandtray/settings.toml: thresholds.sessions_warn' },
    { kind: 'no_notifications', text: '' },
  ],
};

const second = bundle({
  id: 'beef',
  path: '/home/ada/.config/Claude-3p/vm_bundles/claudevm.bundle',
  profile: 'claude_3p',
  live: false,
  detour: 'link',
  files: [
    { name: 'condadata.img', role: 'cache', apparent: 53_687_091_200, allocated: 0 },
    { name: 'rootfs.img.zst.partial', role: 'partial', apparent: 612_000_000, allocated: 612_003_840 },
    { name: 'sessiondata.img', role: 'session_data', apparent: 10_737_418_240, allocated: 1_310_000_000 },
  ],
  disks: [disk({ disk: 'guest_sessions:beef', name: 'sessiondata.img', role: 'session_data', allocated: 1_310_000_000 })],
});
const twoBundles: Status = {
  ...low,
  gauges: [
    ...low.gauges,
    gauge({ id: 'guest_sessions:beef', kind: 'guest_sessions', name: 'Sessions disk (Claude-3p, not in use)', detail: second.path, used: 1.2 * GB, available: 8.1 * GB, limit: 9.3 * GB, live: false, as_of: NOW - 5 * DAY, forecast: steady(0) }),
    gauge({ id: 'guest_system:beef', kind: 'guest_system', name: 'System disk (Claude-3p, not in use)', detail: second.path, live: false, reason: 'missing', as_of: NOW - 9 * DAY, forecast: { ...nothingKnown, reason: 'no_level' } }),
  ],
  meters: [...low.meters, bundleMeter(second, { name: 'Claude-3p bundle', rate_per_day: null })],
  bundles: [cowork, second],
};

const snoozed: Status = {
  ...low,
  gauges: low.gauges.map((known, at) => (at === 0 ? { ...known, snoozed_until: NOW + 20 * HOUR } : known)),
};

const emptied: Status = {
  ...fine,
  gauges: [gauge({ id: SESSIONS, kind: 'guest_sessions', name: 'Sessions disk', detail: PATH, used: 1_100_000, available: 9.29 * GB }), ...fine.gauges.slice(1)],
  homes: [{ disk: SESSIONS, count: 0, allocated: 0, oldest: null, read_at: NOW - 40 }],
};
const many = manySessions(SESSIONS, PATH);
const damaged = damagedDisk(SESSIONS, PATH);

/** The computer's own disk fills, and much of what is on it can go. */
const hostFull: Status = {
  ...low,
  verdict: 'critical',
  summary: 'Disk / will be full in about 5 hours',
  advice: '489 GB of 494 GB are taken. When it is full, programs fail to write, Claude’s sandbox among them. The temp folders on it hold 11.7 GB.',
  worst: HOST,
  gauges: [
    gauge({ id: HOST, kind: 'host_bytes', name: 'Disk /', detail: '/', used: 489 * GB, available: 4.6 * GB, limit: 494 * GB, verdict: 'critical', cause: 'time', forecast: filling(22 * GB, 0.21, 0.16, 0.3) }),
    gauge({ id: INODES, kind: 'host_inodes', name: 'File count on /', used: 26_400_000, available: 4_120_000, limit: 30_520_000, verdict: 'low', cause: 'percent', forecast: filling(600_000, 6.8, 4.1, 9) }),
    ...fine.gauges.slice(0, 2),
  ],
};

const again: Status = { ...low, progress: { done: 3, total: 4, entries: 20_114, since: NOW - 2 } };

const machines = {
  fine: { status: fine, past: sixteenDays, settings, insides },
  low: { status: low, past: sixteenDays, settings, insides },
  critical: { status: critical, past: { ...sixteenDays, emptied: 22 }, settings, focus: { to: 'gauge', id: SESSIONS }, insides },
  first: { status: firstMeasure, past: { days: 0.002, emptied: null, asleep: null }, settings, insides: { [SESSIONS]: hangs(sessions, 48_211) } },
  nothing: { status: nothing, past: { days: 1, emptied: null, asleep: null }, settings: { ...settings, folders: [] } },
  unknown: { status: unknown, past: sixteenDays, settings, insides: { [SESSIONS]: locked, [SYSTEM]: locked } },
  huge: { status: huge, past: { ...sixteenDays, days: 400 }, settings: { ...settings, folders: manyRoots.map(({ id, path }) => ({ id, path, kind: 'root' as const })) } },
  faults: { status: faults, past: sixteenDays, settings },
  bundles: { status: twoBundles, past: sixteenDays, settings, insides: { ...insides, 'guest_sessions:beef': otherSessions('guest_sessions:beef', second.path), 'guest_system:beef': locked } },
  snoozed: { status: snoozed, past: sixteenDays, settings },
  again: { status: again, past: sixteenDays, settings },
  hostFull: { status: hostFull, past: sixteenDays, settings, insides },
  demo: { status: { ...low, label: 'Demo' }, past: sixteenDays, settings },
  emptied: { status: emptied, past: sixteenDays, settings, insides: { [SESSIONS]: emptyDisk(SESSIONS, PATH), [SYSTEM]: system } },
  many: { status: { ...low, homes: [summaryOf(many)] }, past: sixteenDays, settings, insides: { [SESSIONS]: many, [SYSTEM]: system } },
  damaged: { status: { ...low, homes: [] }, past: sixteenDays, settings, insides: { [SESSIONS]: damaged, [SYSTEM]: system } },
  broken: { status: null, past: sixteenDays, settings },
} satisfies Record<string, Scenario>;

const acts = actScenarios(machines.low, machines.critical, machines.bundles);

export const scenarios = { ...machines, ...acts, ...leftoverScenarios(machines.low, machines.fine, acts.parkedMany) };

export type ScenarioName = keyof typeof scenarios;

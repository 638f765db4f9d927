// What a reset would do on the machines of the scenarios, as Rust would say it.

import type { ActPreview } from '../bindings/ActPreview';
import type { ActRefusal } from '../bindings/ActRefusal';
import type { BundleView } from '../bindings/BundleView';
import type { PreviewFile } from '../bindings/PreviewFile';
import type { ResetView } from '../bindings/ResetView';
import type { Role } from '../bindings/Role';
import type { Scope } from '../bindings/Scope';
import type { ScopeReason } from '../bindings/ScopeReason';
import type { Status } from '../bindings/Status';
import type { Verdict } from '../bindings/Verdict';
import { entry } from './insides';
import { DAY, GB, HOUR, MB, NOW } from './parts';

const PARKED = '/home/ada/.local/share/sandtray/parked/20261129-131200-7f31c2';
const SCOPES: readonly Scope[] = ['session_disk', 'system_disk', 'bundle'];
const TAKEN: Record<Scope, readonly Role[] | null> = { session_disk: ['session_data'], system_disk: ['system', 'boot', 'origin'], bundle: null };

const REASONS: Record<ScopeReason, string> = {
  sessions_full: 'only the sessions disk is filling up',
  system_full: 'only the system disk is filling up',
  both_full: 'both disks are filling up, and resetting the sessions alone would not be enough',
  unreadable: 'a disk cannot be read, so which one is broken cannot be told',
  neither_full: 'neither disk is filling up, so a reset would not help',
};

export function preview(own: Partial<ActPreview> & Pick<ActPreview, 'id' | 'kind' | 'scope'>): ActPreview {
  return {
    schema: 1,
    bundle: 'c0ffee',
    path: '/home/ada/.config/Claude/vm_bundles/claudevm.bundle',
    copy: null,
    parked: { path: PARKED },
    refusals: [],
    files: [],
    moved: 0,
    needed: 300 * MB,
    available: 143 * GB,
    running: true,
    latch: false,
    notes: [],
    ...own,
  };
}

function plan(of: BundleView, scope: Scope, own: Partial<ActPreview>): ActPreview {
  const roles = TAKEN[scope];
  const files: PreviewFile[] = of.files
    .filter(({ role }) => roles === null || roles.includes(role))
    .map(({ name, role, apparent, allocated }) => ({ path: name, role, apparent, allocated, back: false }));
  const moved = files.reduce((sum, { allocated }) => sum + allocated, 0);
  const archive = scope !== 'bundle' && of.files.some(({ role }) => role === 'archive');
  const nothing: ActRefusal[] = files.length > 0 ? [] : [{ reason: 'nothing_to_move', text: 'There is nothing of this kind in the sandbox storage, so there is nothing to reset.' }];
  return preview({
    id: files.length > 0 ? `plan-${of.id}-${scope}` : '',
    kind: 'reset',
    scope,
    bundle: of.id,
    path: of.path,
    files,
    moved,
    needed: scope === 'session_disk' ? 300 * MB : Math.round(moved * 1.1 + (archive ? 0 : 1.3 * GB)),
    latch: scope === 'bundle' && of.files.some(({ role }) => role === 'latch'),
    refusals: nothing,
    ...own,
  });
}

const NAMES = ['brave-calm-curie', 'keen-sharp-bohr', 'festive-upbeat-lovelace', 'quirky-serene-noether', 'happy-modest-turing'];

/** The page of a bundle; the recommendation follows from its gauges, as in Rust. */
export function resetOf(status: Status, of: BundleView, own: Partial<ActPreview> = {}, view: Partial<ResetView> = {}): ResetView {
  const verdict = (kind: string): Verdict | null => status.gauges.find(({ id }) => id === `${kind}:${of.id}`)?.verdict ?? null;
  const [sessions, system] = [verdict('guest_sessions'), verdict('guest_system')];
  const full = (verdict: Verdict | null) => verdict === 'low' || verdict === 'critical';
  const why: ScopeReason = full(sessions)
    ? full(system) ? 'both_full' : 'sessions_full'
    : full(system) ? 'system_full' : sessions === 'unknown' || system === 'unknown' ? 'unreadable' : 'neither_full';
  const recommended: Scope | null = { sessions_full: 'session_disk', system_full: 'system_disk', both_full: 'bundle', unreadable: 'bundle', neither_full: null }[why] as Scope | null;
  return {
    bundle: of.id,
    path: of.path,
    recommended,
    why,
    reason: REASONS[why],
    plans: SCOPES.map((scope) => plan(of, scope, own)),
    running: true,
    homes: status.homes.find(({ disk }) => disk === `guest_sessions:${of.id}`) ?? null,
    newest: NAMES.map((path, at) =>
      entry({ id: `n${at}`, path, newest: true, allocated: [512, 31, 208, 4.2, 96][at]! * MB, entries: 812, last_change: [NOW - 0.3 * HOUR, NOW - 4 * HOUR, NOW - DAY, NOW - 3 * DAY, NOW - 3.4 * DAY][at]! }),
    ),
    ...view,
  };
}

/** The same refusal of every scope. */
export const refusing = (view: ResetView, refusal: ActRefusal): ResetView => ({ ...view, plans: view.plans.map((plan) => ({ ...plan, refusals: [refusal] })) });

export const orphan: ActRefusal = {
  reason: 'orphan_vm',
  holders: [{ pid: 48_112, name: 'qemu-system-x86_64', file: { path: '/home/ada/.config/Claude/vm_bundles/claudevm.bundle/rootfs.img' }, vm: true }],
  text: 'Claude Desktop has quit, but its virtual machine has not: qemu-system-x86_64 (process 48112) still has the disks open. Nothing was moved. Restart the computer, or end the virtual machine, then try again.',
};

export const changed: ActRefusal = {
  reason: 'changed',
  what: 'sessiondata.img has grown by 12 MB',
  text: 'Something changed since the preview: sessiondata.img has grown by 12 MB. Look at it again.',
};

/** A page on which there is too little room for what needs much. */
export function tight(view: ResetView, available: number): ResetView {
  const plans = view.plans.map((plan): ActPreview => {
    if (plan.needed <= available) return { ...plan, available };
    const short = plan.needed - available;
    const gb = (bytes: number) => `${(bytes / GB).toPrecision(3)} GB`;
    return {
      ...plan,
      available,
      refusals: [{ reason: 'not_enough_space', needed: plan.needed, available, short, offers: ['dead_weight', 'leftovers', 'session_disk', 'empty_trash'], text: `The rebuild needs ${gb(plan.needed)}, and ${gb(available)} are available: ${gb(short)} short. To help: remove downloads and copies that nobody needs, clean leftovers, reset the session disk only, or empty the trash.` }],
    };
  });
  return { ...view, plans };
}

// Machines on which something is to be moved, is being moved, or was.

import { actingOf } from './acting';
import { copy, dozen, one } from './copies';
import type { Insides } from './insides';
import { GB, NOW } from './parts';
import { cutOff, doneReady, doneWaiting, entryOf, failedRebuild, interrupted, quitting, receipt, record, refusedEnd, rolledBack, watching } from './receipts';
import { orphan, refusing, resetOf, tight } from './resets';
import type { Scenario } from './scenarios';

const ID = 'plan-c0ffee-bundle';
const begun = (scope: 'session_disk' | 'bundle', id = ID) => entryOf(receipt({ id, scope }), { state: 'begun', ended_at: null, outcome: '', receipt: null });

/** A parked disk looks as it did in its place. */
function lookedInto(insides: Insides | undefined, disk: string): Insides {
  const answer = Object.values(insides ?? {})[0];
  return answer === undefined || typeof answer.top === 'string' ? {} : { [disk]: { top: { ...answer.top, disk } } };
}

/** All of them, on a machine whose disks are nearly full and on one where both are. */
export function actScenarios(low: Scenario, critical: Scenario, bundles: Scenario) {
  const status = low.status;
  const [bundle] = status?.bundles ?? [];
  const [, both] = [low, critical.status];
  if (status === null || both === null || bundle === undefined) throw new Error('the scenarios of acts need a machine');
  const full = resetOf(both, bundle);
  const on = (own: Parameters<typeof actingOf>[1], scenario: Scenario = low): Scenario => ({ ...scenario, acting: actingOf(scenario.status, own) });
  const two = bundles.status;
  return {
    both: on({}, critical),
    tight: on({ resets: { c0ffee: tight(full, 4.6 * GB) } }, critical),
    orphan: on({ resets: { c0ffee: refusing(resetOf(status, bundle, {}, { running: false }), orphan) } }),
    which: { ...bundles, status: two === null ? null : { ...two, bundles: two.bundles.map((one) => ({ ...one, live: true })) } },
    unreadHomes: on({ resets: { c0ffee: resetOf(status, bundle, { running: false, available: null, notes: ['The sessions disk has the Windows attribute “compressed”; the new one is not made so.'] }, { homes: null, newest: [], running: false }) } }),
    longNames: on({
      resets: {
        c0ffee: resetOf(status, bundle, {}, {
          newest: resetOf(status, bundle).newest.map((one, at) => ({ ...one, path: at === 0 ? 'a'.repeat(255) : at === 1 ? '\u202egnp.ton-ylimaf line\nbreak' : 'セッションの作業フォルダー、二〇二六年十一月' })),
        }),
      },
    }),
    resetBroken: on({ resets: { c0ffee: 'read the folder /home/ada/.config/Claude/vm_bundles: Permission denied (os error 13); give yourself access to it' }, entries: 'read /home/ada/.local/share/sandtray/journal.jsonl: Permission denied (os error 13)' }),
    quitting: on({ acts: { running: quitting(ID), last: null, parked: [] }, entries: [begun('bundle')] }),
    downloading: on({ acts: { running: watching(ID, { state: 'downloading', percent: 45 }), last: null, parked: [copy({ id: 'k1', scope: 'bundle', verified: false })] }, entries: [begun('bundle')] }),
    watchWaiting: on({ acts: { running: watching(ID, { state: 'waiting' }, NOW - 18), last: null, parked: one }, entries: [begun('session_disk')] }),
    ready: on({ acts: { running: [], last: doneReady, parked: one }, entries: record }),
    waiting: on({ acts: { running: [], last: doneWaiting, parked: [copy({ id: 'k1', scope: 'bundle', verified: false })] }, entries: [entryOf(doneWaiting)] }),
    rolledBack: on({ acts: { running: [], last: rolledBack, parked: [] }, entries: [entryOf(rolledBack)] }),
    failedRebuild: on({ acts: { running: [], last: failedRebuild, parked: [copy({ id: 'k1', scope: 'bundle', verified: false })] }, entries: [entryOf(failedRebuild)] }),
    refusedEnd: on({ acts: { running: [], last: refusedEnd, parked: [] }, entries: [entryOf(refusedEnd)] }),
    interrupted: on({ acts: { running: [], last: interrupted, parked: one }, entries: [entryOf(interrupted)] }),
    cutOff: on({ acts: { running: [], last: null, parked: one }, entries: [cutOff, ...record.slice(3)] }),
    parkedOne: { ...on({ acts: { running: [], last: null, parked: one }, entries: record.slice(0, 1) }), insides: { ...low.insides, ...lookedInto(low.insides, 'parked_sessions:k1') } },
    parkedMany: on({ acts: { running: [], last: null, parked: dozen }, entries: [...record, ...Array.from({ length: 30 }, (_, at) => entryOf(receipt({ id: `old${at}`, begun_at: NOW - (20 + at) * 86_400, ended_at: NOW - (20 + at) * 86_400 + 80 })))] }),
  } satisfies Record<string, Scenario>;
}

// Machines that differ in what agents left on them.

import type { ClassView } from '../bindings/ClassView';
import { recorded, several, single } from './asides';
import * as cleans from './cleans';
import { answers, emptied, group, heavy, type LeftoversAnswers, outputs, overlays, tests, view, worktrees } from './leftovers';
import { GB, MB } from './parts';
import type { Scenario } from './scenarios';

const LONG = '/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/claude-501/-Users-ada-work-customer-projects-very-long-name-that-goes-on/tmp';

const keptAll = (of: ClassView): ClassView => ({ ...of, dead: 0, live: of.live, unknown: of.count - of.live, dead_allocated: 0, dead_inodes: 0 });
const none = (of: ClassView): ClassView => ({ ...keptAll(of), count: 0, live: 0, unknown: 0, allocated: 0, apparent: 0, inodes: 0, kept: [], from: [], rate_per_hour: 0, oldest: null });

const many = group({
  ...emptied,
  id: 'g-many',
  class: 'g-empty',
  count: 200_000,
  dead: 199_988,
  unknown: 12,
  allocated: 819 * MB,
  dead_allocated: 818.9 * MB,
  inodes: 200_000,
  dead_inodes: 199_988,
});

const odd = [
  group({ id: 'g-1', title: 'folders with a name so long that it must be cut, made by a program whose authors like to explain', root: { path: LONG }, count: 3, allocated: 12 * MB, proof: 'a proof that needs a good many words, because what proves such a folder unused is not said in a few of them', about: 'x'.repeat(300), from: [{ reason: LONG, count: 3 }] }),
  group({ id: 'g-2', title: 'odd \u202enames\nof files', root: { path: '/tmp/with\nnewline and \ufffd\ufffd bytes', path_bytes: 'L3RtcC//' }, count: 2, live: 1, dead: 1, kept: [{ reason: `a process has it open (${'very-long-process-name-'.repeat(6)}, 41877)`, count: 1 }] }),
  group({ id: 'g-3', title: 'crash dumps', tier: 'ask', root: { path: 'C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Local\\Temp\\claude' }, count: 9_007_199, dead: 9_007_100, live: 99, allocated: 4.2e15, apparent: 8.8e17, inodes: 1_203_441_000, dead_inodes: 1_203_000_000, dead_allocated: 4.1e15, rate_per_hour: 181_204, cost: 'c'.repeat(120) }),
];

const gaps = Array.from({ length: 12 }, (_, at) => ({ operation: 'read directory', path: `/tmp/systemd-private-${at}${LONG}`, cause: 'Permission denied (os error 13)' }));

/** All of them, on the machine whose temp folders are full, on a calm one, and beside parked disks. */
export function leftoverScenarios(low: Scenario, fine: Scenario, beside: Scenario) {
  const on = (leftovers: LeftoversAnswers, scenario: Scenario = low): Scenario => ({ ...scenario, leftovers });
  return {
    leftLooking: on(answers(heavy, { hangs: 48_211 })),
    leftNothing: on(answers(view(heavy.classes.map(none))), fine),
    leftEmpty: on(answers(view([])), fine),
    leftKept: on(answers(view([keptAll(emptied), keptAll(overlays), keptAll(outputs)]))),
    leftChoice: on(answers(view([none(emptied), outputs]))),
    leftMany: on(answers(view([many, { ...tests, id: 'g-pytest' }]))),
    leftOdd: on(answers(view(odd, { deleted_open: Array.from({ length: 14 }, (_, at) => ({ path: `${LONG}/${at}`, apparent: 1e18, allocated: at === 0 ? 9.9e17 : 4096 * at, pid: 4_194_304 - at, process: 'a-process\nwith-a-very-long-name'.repeat(at === 0 ? 4 : 1) })) }))),
    leftMemory: on(answers(view([{ ...overlays, memory: true }, { ...emptied, memory: true }, worktrees]))),
    leftPart: on(
      answers(
        view([emptied, keptAll(overlays)], {
          complete: false,
          gaps,
          more_gaps: 1405,
          notes: ['other users’ processes are hidden on this system (hidepid), so what they hold cannot be told: 271 write overlays are kept', 'this is WSL2: space that comes free in here does not shrink the disk file on Windows by itself'],
        }),
      ),
    ),
    leftBroken: on(answers('look for leftovers in /tmp: Input/output error (os error 5); check the disk and try again')),
    leftCleaning: on(answers(heavy, { cleaning: cleans.runs })),
    leftDone: on(answers(view([{ ...none(emptied) }, outputs, tests]), { cleaning: cleans.done })),
    leftPartly: on(answers(heavy, { cleaning: cleans.partly })),
    leftParked: on(answers(heavy, { cleaning: cleans.parkedEnd })),
    leftOnlyParked: on(answers(heavy, { cleaning: cleans.onlyParked })),
    leftStopped: on(answers(heavy, { cleaning: cleans.stopped })),
    leftWrote: on(answers(heavy, { cleaning: cleans.wrote })),
    leftUntouched: on(answers(heavy, { cleaning: cleans.nothing })),
    leftScheduled: on(answers(view([{ ...emptied, count: 96, dead: 96, live: 0, unknown: 0, kept: [], allocated: 0.4 * MB, dead_allocated: 0.4 * MB, inodes: 96, dead_inodes: 96 }, outputs]), { cleaning: cleans.scheduled }), fine),
    asideOne: on(answers(heavy, { cleaning: { ...cleans.still, parked: single }, receipts: recorded.slice(0, 2) }), fine),
    asideMany: { ...on(answers(heavy, { cleaning: { ...cleans.still, parked: several }, receipts: recorded }), beside), settings: { ...beside.settings, leftovers: { schedule: true, hours: 12, when_critical: true, discard_after_days: 30 } } },
    asideBroken: on(answers(heavy, { cleaning: { ...cleans.still, parked: single }, receipts: 'read /home/ada/.local/share/sandtray/cleans.jsonl: Input/output error (os error 5)' })),
    leftHuge: on(answers(view([{ ...overlays, count: 758_157, dead: 758_157, live: 0, unknown: 0, kept: [], allocated: 271 * GB, dead_allocated: 271 * GB, inodes: 29_300_000, dead_inodes: 29_300_000, rate_per_hour: 45_210 }]))),
  } satisfies Record<string, Scenario>;
}

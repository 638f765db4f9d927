// English for the Activity panel: parked copies and receipts; a part of `en.ts`.

import type { CopyState } from '../bindings/CopyState';
import type { EntryState } from '../bindings/EntryState';
import type { Scope } from '../bindings/Scope';

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

export const activity = {
  headline: {
    reading: 'Looking for parked copies',
    failed: 'What was done could not be read',
    nothing: 'Nothing was moved so far',
    nothingWhy: 'When you reset the sandbox, the old disks are parked and listed here, and what was done is kept as a receipt.',
    none: 'Nothing is parked',
    noneWhy: 'What was done so far is listed below.',
    holds: (count: string, n: number, size: string) => `${count} parked ${plural(n, 'copy holds', 'copies hold')} ${size}`,
    why: 'Restore puts one back. None is ever discarded by itself.',
  },

  copies: {
    title: 'Parked copies',
    name: {
      session_disk: 'Session disk',
      system_disk: 'System disk',
      bundle: 'Whole bundle',
    } satisfies Record<Scope, string>,
    parked: (when: string) => `parked ${when}`,
    holds: (count: string, n: number, size: string) => `${count} ${plural(n, 'session', 'sessions')} with ${size}`,
    system: 'The system, no sessions',
    unknown: 'What its sessions are could not be read',
    state: {
      whole: 'Whole',
      changed: 'Changed since',
      absent: 'Not there now',
      discarding: 'Being discarded',
    } satisfies Record<CopyState, string>,
    stateWhy: {
      whole: null,
      changed: 'Something in it is not as it was put there. It is left alone.',
      absent: 'The disk it lies on is not connected, or the folder is gone.',
      discarding: 'Its removal was begun and not finished. Discard it again to finish.',
    } satisfies Record<CopyState, string | null>,
    old: (size: string) => `The new disks have worked since. If nothing on this copy is missed, discarding it frees ${size}.`,
    unverified: 'The new disks were not seen working yet, so this copy is kept.',
    restore: 'Restore…',
    rescue: 'Rescue files…',
    discard: 'Discard…',
    ofCopy: (act: string, copy: string) => `${act} ${copy}`,
    more: (count: string) => `Show ${count} more`,
    fewer: 'Show fewer',
    files: 'What is in it',
    where: 'Where',
  },

  restore: {
    title: 'Put this copy back',
    reading: 'Looking at what can come back…',
    failed: 'What can come back could not be found out',
    less: {
      session_disk: 'Only the session disk comes back; the rest stays parked.',
      system_disk: 'Only the system disk comes back; the rest stays parked.',
      bundle: 'The whole bundle comes back.',
    } satisfies Record<Scope, string>,
    back: 'Comes back',
    sessions: (count: string, n: number) => `${count} ${plural(n, 'session', 'sessions')} with their files`,
    backAs: 'The disks as they were when they were parked',
    not: 'Does not come back by itself',
    since: 'What was made in sessions since then: it is parked with the disks that are there now, and a rescue or another restore gets it.',
    swap: 'Moves aside',
    swapWhat: (size: string) => `The disks that are there now, ${size}. They become a parked copy of their own.`,
    swapNothing: 'Nothing: there are no disks in their place now.',
    claude: 'Claude is asked to quit and started again afterwards.',
    claudeNot: 'Claude does not run now, and is not started.',
    button: { quit: 'Quit Claude and put this copy back', plain: 'Put this copy back' },
    cancel: 'Leave it parked',
  },

  discard: {
    title: 'Discard this copy',
    reading: 'Looking at how it can be discarded…',
    failed: 'How it can be discarded could not be found out',
    how: 'How',
    trash: 'To the trash',
    trashLong: 'Move it to the trash',
    forGood: 'For good',
    forGoodLong: 'Remove it for good',
    trashWhy: (size: string) => `It can be put back from the trash. It frees nothing until the trash is emptied; then up to ${size}.`,
    forGoodWhy: (size: string) => `It is removed at once and frees up to ${size} on this computer.`,
    lost: 'After that it can no longer be put back, and files made only inside these sessions are gone.',
    consent: 'I understand that this cannot be undone',
    button: { trash: 'Move the copy to the trash', forGood: 'Remove the copy for good' },
    cancel: 'Keep it',
  },

  receipts: {
    title: 'What was done',
    none: 'Nothing was done so far.',
    export: 'Export…',
    exported: 'Exported.',
    notExported: (what: string) => `Not exported: ${what}`,
    failed: (what: string) => `What was done could not be read: ${what}`,
    state: {
      begun: 'Under way',
      done: 'Done',
      refused: 'Not done',
      failed: 'Failed',
      interrupted: 'Cut off',
      rolled_back: 'Taken back',
    } satisfies Record<EntryState, string>,
    unbuilt: 'Rebuild failed',
    noReceipt: 'Nothing more is on record.',
    more: (count: string) => `Show ${count} more`,
  },
};

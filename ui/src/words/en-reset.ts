// English for the Reset panel and for acts wherever they are shown; a part of `en.ts`.

import type { ActEnd } from '../bindings/ActEnd';
import type { ActKind } from '../bindings/ActKind';
import type { ActStep } from '../bindings/ActStep';
import type { GaugeKind } from '../bindings/GaugeKind';
import type { Rebuild } from '../bindings/Rebuild';
import type { RefusalKind } from '../bindings/RefusalKind';
import type { Scope } from '../bindings/Scope';
import type { ScopeReason } from '../bindings/ScopeReason';
import type { Phase } from '../panels/act/phases';

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

export const reset = {
  headline: {
    /** Nothing more fits. */
    full: {
      sessions_full: 'The sessions disk is full: an empty one gets Cowork going again',
      system_full: 'The system disk is full: a new one gets Cowork going again',
      both_full: 'Both disks are full: new ones get Cowork going again',
      unreadable: 'A disk cannot be read: new ones may get Cowork going again',
      neither_full: 'A reset would not help now',
    } satisfies Record<ScopeReason, string>,
    /** It will soon be so. */
    filling: {
      sessions_full: 'The sessions disk is filling up: an empty one gives room',
      system_full: 'The system disk is filling up: a new one gives room',
      both_full: 'Both disks are filling up: new ones give room',
      unreadable: 'A disk cannot be read: new ones may get Cowork going again',
      neither_full: 'A reset would not help now',
    } satisfies Record<ScopeReason, string>,
    reading: 'Looking at what a reset would do',
    readingWhy: 'Which disks there are, what is on them, who has them open, and how much room there is. Nothing is changed.',
    failed: 'What a reset would do could not be found out',
    none: 'There is nothing to reset',
    noneWhy: 'No sandbox disk was found on this computer. Cowork makes its disks when it is first used.',
    which: 'Which sandbox is to be reset?',
    whichWhy: 'There are several on this computer. Nothing happens before you have seen what it would do.',
  },
  lead: 'Nothing is deleted. The disks are moved aside and can be put back.',
  elsewhere: 'If Cowork does not start, the cause lies elsewhere: the network, an update, or Claude’s own service. New disks do not change that.',
  anyway: 'Reset anyway',
  anywayWhy: 'It stays possible. Choose how much, and see what it would do.',
  sandbox: 'Sandbox',
  again: 'Look again',
  looked: 'Looking again…',
  changed: 'Something changed, so nothing was done',
  changedNow: 'What is shown now is new. Read it again before you go on.',
  notBegun: 'Nothing was begun',
  dismiss: 'Dismiss',

  scopes: {
    label: 'How much is reset',
    recommended: 'Recommended',
    because: (reason: string) => `Recommended: ${reason}`,
    name: {
      session_disk: 'Session disk only',
      system_disk: 'System disk',
      bundle: 'Whole bundle',
    } satisfies Record<Scope, string>,
    gives: {
      session_disk: 'Gives Cowork an empty sessions disk. No download; about a minute.',
      system_disk: 'Gives Cowork a fresh system, keeps the sessions.',
      bundle: 'Both of the above.',
    } satisfies Record<Scope, string>,
    unpacks: (size: string) => `Unpacks ${size}; some minutes.`,
    downloads: (size: string) => `Downloads about ${size}; how long depends on the network.`,
  },

  comes: {
    title: 'What comes with it',
    sessions: (count: string, n: number, size: string) => `${count} ${plural(n, 'session', 'sessions')} with ${size}`,
    none: 'No session is on it.',
    unknown: 'Which sessions are on it could not be read. Count on all of them.',
    onlyThere: 'Files made only inside a session come back only by undo or rescue.',
    anew: 'Sessions that are open now may need to be started anew.',
    newest: 'Used last',
    rest: (count: string) => `and ${count} more`,
    programs: 'Programs installed inside the sandbox. Claude drops them at each update of its system, too.',
    download: 'The packed copy of the system, so that Claude downloads it again.',
    latch: 'A mark that keeps Claude from repairing itself. It goes, and Claude may repair again.',
  },
  untouched: {
    title: 'What is not touched',
    chats: 'Chats, tasks and projects, compared before and after',
    yours: 'Your connected folders, login and settings',
    systemDisk: 'The system disk and the downloaded copy of it',
    sessionsDisk: 'The sessions disk with all sessions',
  },
  happens: {
    title: 'What happens',
    running: 'Claude runs now. It is asked to quit and started again afterwards.',
    notRunning: 'Claude does not run now, and is not started.',
    unknown: 'Whether Claude runs cannot be told; if it does, it is asked to quit first.',
  },
  moved: {
    title: 'What moves, and where to',
    from: 'From',
    to: 'To',
    noPlace: 'no place was found',
    comesBack: 'comes back',
    movesAside: 'moves aside',
  },
  room: {
    fits: (needed: string, available: string) => `Needs ${needed} beside the parked copy; ${available} are available.`,
    unknown: (needed: string) => `Needs ${needed} beside the parked copy; how much is available is not known.`,
    short: (needed: string, available: string, short: string) => `Needs ${needed}, ${available} are available: ${short} short.`,
  },
  button: {
    quit: {
      session_disk: 'Quit Claude and reset the session disk',
      system_disk: 'Quit Claude and reset the system disk',
      bundle: 'Quit Claude and reset the whole bundle',
    } satisfies Record<Scope, string>,
    plain: {
      session_disk: 'Reset the session disk',
      system_disk: 'Reset the system disk',
      bundle: 'Reset the whole bundle',
    } satisfies Record<Scope, string>,
    begins: 'Beginning…',
    rescue: 'Rescue files first…',
    notNow: 'Not now',
    only: 'Reset the session disk only',
  },
  choose: 'Choose how much to reset.',

  /** Each with Rust's own sentence below, which says what to do. */
  refused: {
    no_bundle: 'The sandbox is no longer there',
    several_bundles: 'There are several sandboxes',
    not_recommended: 'A reset would not help',
    nothing_to_move: 'There is nothing of this kind',
    link: 'A link stands in the way',
    foreign_owner: 'It belongs to somebody else',
    root: 'Not as root',
    packaged: 'Started from inside another app',
    other_volume: 'There is no place to move the disks to',
    name_taken: 'The place to move to is taken',
    not_writable: 'The folder cannot be written',
    no_safe_rename: 'This disk cannot move files safely',
    not_enough_space: 'There is not enough room for the rebuild',
    held: 'Another program has the disks open',
    orphan_vm: 'Claude’s virtual machine is still running',
    holders_unknown: 'Who has the disks open cannot be told',
    several_apps: 'It is not clear which program is Claude',
    did_not_quit: 'Claude did not quit',
    cannot_quit: 'Claude cannot be asked to quit',
    came_back: 'Claude started again by itself',
    changed: 'Something changed since it was shown',
    busy: 'Something else is running',
    unresolved: 'An earlier act was cut off',
    no_journal: 'The record of acts cannot be written',
    no_copy: 'The parked copy is no longer there',
    copy_changed: 'The parked copy is not as it was',
    copy_absent: 'The parked copy’s disk is not connected',
    other_release: 'Claude has moved on to another system',
    not_verified: 'The new disks were not seen working yet',
    no_trash: 'The trash cannot take it',
    not_confirmed: 'Nobody confirmed it',
    cancelled: 'You stopped it',
  } satisfies Record<RefusalKind['reason'], string>,
};

export const act = {
  /** What runs. */
  doing: {
    reset: { session_disk: 'Resetting the session disk', system_disk: 'Resetting the system disk', bundle: 'Resetting the whole bundle' },
    restore: { session_disk: 'Putting the session disk back', system_disk: 'Putting the system disk back', bundle: 'Putting the whole bundle back' },
    trash: { session_disk: 'Moving a parked copy to the trash', system_disk: 'Moving a parked copy to the trash', bundle: 'Moving a parked copy to the trash' },
    remove: { session_disk: 'Removing a parked copy', system_disk: 'Removing a parked copy', bundle: 'Removing a parked copy' },
  } satisfies Record<ActKind, Record<Scope, string>>,
  doingUnknown: 'Sandtray is at work',
  /** What was done, for the list. */
  did: {
    reset: { session_disk: 'Session disk reset', system_disk: 'System disk reset', bundle: 'Whole bundle reset' },
    restore: { session_disk: 'Session disk restored', system_disk: 'System disk restored', bundle: 'Whole bundle restored' },
    trash: { session_disk: 'Parked session disk to the trash', system_disk: 'Parked system disk to the trash', bundle: 'Parked bundle to the trash' },
    remove: { session_disk: 'Parked session disk removed', system_disk: 'Parked system disk removed', bundle: 'Parked bundle removed' },
  } satisfies Record<ActKind, Record<Scope, string>>,
  label: 'What is being done',
  goesOn: 'You may close this window; it goes on and is shown again when you come back.',
  show: 'Show',
  stop: 'Stop, and leave everything as it is',
  stopping: 'Stopping…',
  steps: 'Every step',
  waited: (what: string, how: string) => `${what} · for ${how}`,
  asking: 'If Claude asks whether its sessions may be ended, answer it there. It is not forced: if it stays, nothing is moved.',
  /** For one disk, and for several. */
  phase: {
    one: {
      quit: 'Claude is asked to quit',
      prove: 'No program has the disk open',
      move: 'The disk is moved aside',
      swap: 'The disks change places',
      start: 'Claude starts again',
      check: 'The new disk is checked',
      back: 'The disk is put back',
      again: 'Claude starts again as before',
    },
    many: {
      quit: 'Claude is asked to quit',
      prove: 'No program has the disks open',
      move: 'The disks are moved aside',
      swap: 'The disks change places',
      start: 'Claude starts again',
      check: 'The new disks are checked',
      back: 'The disks are put back',
      again: 'Claude starts again as before',
    },
  } satisfies Record<'one' | 'many', Record<Phase, string>>,
  /** For the eye of a screen reader. */
  phaseState: { todo: 'to come', now: 'under way', done: 'done', failed: 'failed' },
  /** As `core::words::act_step` says them. */
  step: {
    quit: 'Claude Desktop has quit',
    prove: 'No program has the disks open',
    record: 'Chats, tasks and projects are remembered for comparison',
    move: 'The disks are moved aside',
    prove_again: 'No program came back in the meantime',
    latch: 'The app may repair itself again',
    compare: 'Chats, tasks and projects are compared',
    relaunch: 'Claude Desktop is started again',
    watch: 'The rebuild is watched',
    verify: 'The result is measured',
    put_back: 'The disks are put back',
    start_again: 'Claude Desktop is started again as before',
  } satisfies Record<ActStep, string>,

  rebuild: {
    waiting: 'Open a Cowork task and Claude builds the new disk',
    downloading: 'Claude is downloading the system',
    unpacking: 'Claude is unpacking the system',
    booting: 'The sandbox is starting',
    ready: 'The rebuild is done and works',
    looping: 'Claude begins the rebuild again and again',
    failed: 'Claude could not build the new disk',
  } satisfies Record<Rebuild['state'], string>,
  rebuildWhy: {
    waiting: 'Until then nothing happens, and nothing is wrong.',
    downloading: 'It goes on by itself.',
    unpacking: 'It goes on by itself; this takes some minutes.',
    booting: 'It goes on by itself.',
    ready: null,
    looping: 'Undo puts the old disks back. Or quit Claude, make room or wait for the network, and start it again.',
    failed: 'Undo puts the old disks back. Or quit Claude, make room or wait for the network, and start it again.',
  } satisfies Record<Rebuild['state'], string | null>,
  percent: (what: string, percent: string) => `${what}: ${percent}`,

  ended: {
    done: { reset: 'The reset is done', restore: 'The restore is done', trash: 'The copy is in the trash', remove: 'The copy is gone' },
    refused: { reset: 'Nothing was reset', restore: 'Nothing was restored', trash: 'Nothing was discarded', remove: 'Nothing was removed' },
    failed: { reset: 'The reset failed', restore: 'The restore failed', trash: 'It did not get to the trash', remove: 'It could not be removed' },
    rolled_back: {
      reset: 'The reset was taken back',
      restore: 'The restore was taken back',
      trash: 'It was taken back from the trash',
      remove: 'The removal was taken back',
    },
    interrupted: { reset: 'The reset was cut off', restore: 'The restore was cut off', trash: 'The discard was cut off', remove: 'The removal was cut off' },
  } satisfies Record<ActEnd, Record<ActKind, string>>,
  /** What was left as it was. */
  left: {
    done: null,
    refused: 'Nothing was moved: every disk is where it was.',
    failed: 'Nothing was moved: every disk is where it was.',
    rolled_back: 'The disks had been moved and are back where they were.',
    interrupted: 'No disk is lost: each is either in its place or in the parked copy.',
  } satisfies Record<ActEnd, string | null>,
  leftParked: {
    refused: 'The parked copy is as it was.',
    failed: 'What is left of the parked copy is still listed.',
    rolled_back: 'The parked copy is as it was.',
    interrupted: 'What is left of the parked copy is still listed.',
  },
  claude: {
    again: 'Claude was quit and started again',
    stays: 'Claude was quit and not started again',
    untouched: 'Claude was not quit',
  },
  facts: {
    title: 'What was measured',
    fill: {
      guest_sessions: 'Sessions disk',
      guest_system: 'System disk',
      host_bytes: 'This computer',
      guest_sessions_inodes: 'Files on the sessions disk',
      guest_system_inodes: 'Files on the system disk',
      host_inodes: 'Files on this computer',
    } satisfies Record<GaugeKind, string>,
    notYet: (before: string) => `${before} before, not built yet`,
    unknown: 'not known',
    to: (before: string, after: string) => `${before} before, ${after} now`,
    parked: 'Moved aside',
    removed: 'Removed',
    trashed: 'In the trash',
    moved: 'Moved',
    available: 'Available on this computer',
    when: 'When',
    sessions: 'Chats, tasks and projects',
    compared: (count: string, n: number) => `${count} ${plural(n, 'file', 'files')} compared, none ${plural(n, 'differs', 'differ')}`,
    comparedPartly: (count: string, n: number) => `${count} ${plural(n, 'file', 'files')} compared, none seen to differ, but some could not be read`,
    differ: (differing: string, count: string) => `${differing} of ${count} files changed while Claude was closed. Sandtray writes none of them.`,
    missing: (missing: string, n: number, count: string) => `${missing} of ${count} files of chats, tasks and projects ${plural(n, 'is', 'are')} missing now`,
    byApp: (count: string, n: number) => `Claude itself has changed ${count} ${plural(n, 'file', 'files')} since it started again`,
    listed: 'Which',
    claude: 'Claude',
    rebuild: 'Rebuild',
  },
  undo: 'Undo…',
  undoWhy: 'What was there is parked and can be put back at any time.',
  oldSessions: 'Start new sessions: some that were open before may not find their files any more.',
  copies: 'Parked copies',
  close: 'Close',
  tryAgain: 'Look at it again',

  unresolved: {
    when: (what: string, when: string) => `${what} began ${when} and has no end on record.`,
    what: 'No disk is lost: each is either in its place or in the parked copy. When Sandtray starts again it looks where they are and puts it right. Until then nothing else is moved.',
    todo: 'Quit Sandtray and start it again.',
  },
};

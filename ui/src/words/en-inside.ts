// English for the Inside panel; a part of `en.ts`, which is long enough.

import type { EntryKind } from '../bindings/EntryKind';
import type { Profile } from '../bindings/Profile';
import type { Refusal } from '../bindings/Refusal';
import type { SkipReason } from '../bindings/SkipReason';

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

const session = (count: string, n: number) => `${count} ${plural(n, 'session', 'sessions')}`;
const item = (count: string, n: number) => `${count} ${plural(n, 'item', 'items')}`;
const file = (count: string, n: number) => `${count} ${plural(n, 'file', 'files')}`;
const folder = (count: string, n: number) => `${count} ${plural(n, 'folder', 'folders')}`;

export const inside = {
  /** The two kinds of disk, short, for the choice between them. */
  disk: { guest_sessions: 'Sessions disk', guest_system: 'System disk' },
  whichDisk: 'Disk',
  whichBundle: 'Installation',
  /** Short; the whole path stands in the tooltip. */
  bundle: {
    claude: 'Claude',
    claude_3p: 'Claude-3p',
    extra: 'Further folder',
  } satisfies Record<Profile, string>,
  bundleUnknown: 'Another',
  again: 'Read again',
  readAt: (ago: string) => `Read ${ago}`,

  headline: {
    hold: (what: string, n: number, held: string) => `${what} ${plural(n, 'holds', 'hold')} ${held}`,
    of: (held: string, limit: string) => `${held} of ${limit}`,
    sessions: session,
    items: item,
    thisSession: 'This session',
    thisFolder: 'This folder',
    inEntries: (said: string, count: string, n: number) => `${said} in ${count} ${plural(n, 'file or folder', 'files and folders')}`,
    largest: (said: string, part: string) => `${said}; the largest holds ${part} of it`,
    largestNamed: (said: string, name: string, part: string) => `${said}; ${name} holds ${part} of it`,
    tenLargest: (said: string, part: string) => `${said}; the ten largest hold ${part} of it`,
    noSessions: 'There are no sessions on this disk',
    noSessionsWhy: 'Cowork makes a folder here for each session. The disk is ready and empty.',
    emptyFolder: 'This folder is empty',
    noDisk: 'No sandbox disk was found on this computer',
    noDiskWhy: 'Cowork makes its disks when it is first used. As soon as there is one, what fills it is shown here.',
    reading: { guest_sessions: 'Reading the sessions disk', guest_system: 'Reading the system disk' },
    readingWhy: 'It is read from this computer, without starting the sandbox and without changing anything on it.',
    unreadable: {
      guest_sessions: 'The sessions disk cannot be read now',
      guest_system: 'The system disk cannot be read now',
    },
    unreadableBusy: 'Claude’s sandbox holds it while it runs. Quit Claude, or try again when Cowork is quiet.',
    unreadableWhy: 'Nothing on it was changed.',
    stopped: 'Reading was stopped',
    stoppedWhy: 'What is in the disk is only known when it was read to the end.',
  },

  growth: {
    title: (since: string) => `What grew ${since}`,
    by: (by: string, since: string) => `${by} ${since}`,
    byNew: (by: string, since: string, part: string, what: string) => `${by} ${since}, ${part} of it in ${what}`,
    allNew: (by: string, since: string, what: string) => `${by} ${since}, all of it in ${what}`,
    newSessions: (count: string, n: number) => `${count} new ${plural(n, 'session', 'sessions')}`,
    newFolders: (count: string, n: number) => `${count} new ${plural(n, 'item', 'items')}`,
    nothing: (since: string) => `Nothing grew ${since}.`,
    none: 'What grew is known after a day: no earlier reading is kept yet.',
    new: 'new',
    goneSessions: (count: string, n: number, size: string) => `${count} earlier ${plural(n, 'session is', 'sessions are')} gone, with ${size}.`,
    goneItems: (count: string, n: number, size: string) => `${count} earlier ${plural(n, 'item is', 'items are')} gone, with ${size}.`,
    shrunk: (size: string) => `Others gave back ${size}.`,
    only: 'Only what grew',
    more: (count: string) => `Show all ${count} in the table`,
  },

  sizes: {
    title: 'Three sizes of one disk',
    apparent: 'Length of the image',
    allocated: 'On this computer',
    used: 'Used in the sandbox',
    of: (size: string) => `of ${size}`,
    unknown: 'not known now',
  },

  apart: {
    orphans: (files: string) => `Deleted but still open in the sandbox: ${files}`,
    orphansWhy: 'The space comes back when the sandbox restarts.',
    unreached: (files: string) => `Found in no folder that could be read: ${files}`,
    unreachedWhy: 'They belong to damaged folders. The sandbox’s own check may bring them back.',
    files: (count: string, n: number, size: string) => `${file(count, n)}, ${size}`,
    damaged: (count: string, n: number) => `${count} ${plural(n, 'part', 'parts')} of the disk could not be read`,
    damagedWhy: 'What lies in them is missing from the sizes. A rescue skips them and names them; the rest comes out.',
  },

  trail: { label: 'Where this is', up: 'Up one folder' },

  table: {
    sessions: 'Sessions',
    folders: 'Files and folders',
    caption: (what: string, count: string) => `${what}, ${count} in all. Arrow keys move, Space chooses, Enter opens a folder.`,
    search: 'Search by name',
    shown: (shown: string, all: string) => `${shown} of ${all}`,
    noMatch: (query: string) => `No name contains “${query}”.`,
    noGrown: 'Nothing that is here grew.',
    chooseAll: 'Choose all that are shown',
    chooseThis: (name: string) => `Choose ${name}`,
    openThis: (name: string) => `Open ${name}`,
    name: 'Name',
    size: 'Size',
    entries: 'Entries',
    changed: 'Last change',
    made: 'First made',
    growth: 'Grew',
    sortBy: (column: string) => `Sort by ${column}`,
    recent: 'recent',
    recentWhy: 'Among the sessions that changed last.',
    encrypted: 'encrypted',
    encryptedWhy: 'Its key is only in the sandbox, so the name is shown as it is stored and the content cannot be rescued.',
    newWhy: 'It was not there at the earlier reading.',
    kind: {
      file: 'File',
      dir: 'Folder',
      symlink: 'Link',
      pipe: 'Pipe',
      socket: 'Socket',
      device: 'Device',
      odd: 'Damaged',
    } satisfies Record<EntryKind, string>,
    ofUser: (kind: string, uid: string) => `${kind} of user ${uid} in the sandbox`,
  },

  reading: {
    entries: (count: string) => `${count} files and folders so far`,
    cancel: 'Stop reading',
    openFailed: 'That folder could not be opened',
    againFailed: 'The disk could not be read again',
    kept: (ago: string) => `What is shown was read ${ago}.`,
    fromTop: 'Read the disk again',
    stopped: (ago: string) => `Stopped. What is shown was read ${ago}.`,
    part: 'Reading was stopped, so this is only a part: sizes are too small and names are missing.',
    dismiss: 'Dismiss',
  },

  rescue: {
    what: 'Copies them to a folder you choose. Nothing on the disk changes.',
    button: (what: string) => `Rescue ${what}…`,
    /** While nothing is chosen. */
    buttonNone: 'Rescue…',
    sessions: session,
    items: item,
    chosen: (what: string, size: string) => `${what} chosen, ${size}`,
    none: 'Choose sessions to copy them to a folder of yours. Nothing on the disk changes.',
    noneItems: 'Choose files and folders to copy them to a folder of yours. Nothing on the disk changes.',
    clear: 'Choose none',
    asking: 'Choose a folder in the window that has opened…',
    copying: (what: string) => `Copying ${what}`,
    progress: (written: string, about: string) => `${written} of about ${about}`,
    progressEntries: (done: string, all: string) => `${done} of ${all} entries`,
    label: 'Copying',
    cancel: 'Stop copying',
    stopping: 'Stopping…',
    failed: 'Nothing was copied',
    close: 'Close',
    elsewhere: 'Choose another folder…',
  },

  receipt: {
    done: (what: string, n: number) => `${what} ${plural(n, 'was', 'were')} copied`,
    partly: (what: string, n: number) => `${what} ${plural(n, 'was', 'were')} copied, but not all of it`,
    stopped: 'Stopped before all was copied',
    into: 'Into',
    /** `412 files and 38 folders, 1.24 GB`. */
    counts: (files: string, folders: string) => `${files} and ${folders}`,
    files: file,
    folders: folder,
    links: (count: string, n: number) => `${count} ${plural(n, 'link', 'links')}`,
    hardLinks: (count: string, n: number) => `${count} further ${plural(n, 'name', 'names')} of the same files`,
    bytes: (size: string) => `${size} written`,
    holes: (size: string) => `${size} long, the rest is empty space`,
    unkept: (count: string, n: number) => `${count} ${plural(n, 'keeps its', 'keep their')} content but not mode or time: the folder’s disk does not hold them.`,
    stayed: 'What came out until then stays in the folder.',
    why: (cause: string) => `It ended early: ${cause}`,
    skipped: (count: string, n: number) => `${count} ${plural(n, 'entry', 'entries')} left out`,
    skip: {
      link_leads_out: 'A link that leads out of what was copied',
      link_not_held: 'A link, and the folder’s disk cannot hold links',
      special_file: 'A pipe, a socket or a device: nothing to copy',
      encrypted: 'Encrypted: its key is only in the sandbox',
    } satisfies Record<SkipReason, string>,
    pointsTo: 'points to',
    renamed: (count: string, n: number) => `${count} ${plural(n, 'has', 'have')} another name in the folder`,
    renamedWhy: 'The folder’s disk cannot hold the old one.',
    nowCalled: 'now',
    failed: (count: string) => `${count} could not be copied whole`,
  },

  refusal: {
    target_exists: {
      title: 'Something of that name is already there',
      text: 'Nothing was copied and nothing there was touched. Choose an empty folder, or move that aside first.',
    },
    not_a_folder: { title: 'That is not a folder', text: 'Nothing was copied. Choose a folder.' },
    not_enough_room: { title: 'There is not enough room', text: 'Nothing was copied. Choose a folder on another disk, or fewer sessions at once.' },
    not_enough_inodes: {
      title: 'That disk cannot hold so many files',
      text: 'Nothing was copied. Choose a folder on another disk, or fewer sessions at once.',
    },
  } satisfies Record<Refusal['reason'], { title: string; text: string }>,
  refusalRoom: (needed: string, available: string) => `${needed} are needed, ${available} are available there.`,
};

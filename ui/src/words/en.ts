// English. Labels that stand only in the window; sentences shared with tray, notification and
// command line come from Rust (`core::words`), so that one fact is never worded twice.

import type { Cause } from '../bindings/Cause';
import type { EventKind } from '../bindings/EventKind';
import type { FaultKind } from '../bindings/FaultKind';
import type { FolderKind } from '../bindings/FolderKind';
import type { GaugeKind } from '../bindings/GaugeKind';
import type { NoForecast } from '../bindings/NoForecast';
import type { Owner } from '../bindings/Owner';
import type { Profile } from '../bindings/Profile';
import type { Range } from '../bindings/Range';
import type { Role } from '../bindings/Role';
import type { RootWhy } from '../bindings/RootWhy';
import type { UnknownReason } from '../bindings/UnknownReason';
import type { Verdict } from '../bindings/Verdict';
import { activity } from './en-activity';
import { inside } from './en-inside';
import { leftovers } from './en-leftovers';
import { act, reset } from './en-reset';

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

export const en = {
  /** For dates and plurals; the same language as the sentences around them. */
  locale: 'en-GB',
  name: 'Sandtray',
  percent: (value: number) => `${value} %`,
  /** Some, but not one percent. */
  underOne: '<1 %',
  /** In the place of a percentage. */
  half: 'about half',
  all: 'all',
  millions: (value: string) => `${value} million`,
  colon: (what: string, value: string) => `${what}: ${value}`,
  list: (a: string, b: string) => `${a}, ${b}`,
  /** Two sentences, one after the other. */
  then: (a: string, b: string) => `${a} ${b}`,
  fullStop: (text: string) => `${text}.`,
  /** Joins two facts that stand side by side. */
  join: (a: string, b: string) => `${a} · ${b}`,
  separator: ' · ',
  /** In the place of a number that is not known. */
  noNumber: '?',

  nav: {
    label: 'Panels',
    overview: 'Overview',
    inside: 'Inside',
    leftovers: 'Leftovers',
    reset: 'Reset',
    activity: 'Activity',
    parked: (count: string, n: number) => `${count} parked ${plural(n, 'copy', 'copies')}`,
    running: 'running',
    canGo: (size: string) => `${size} can go`,
    cleaning: 'cleaning',
    homes: (count: string, n: number) => `${count} ${plural(n, 'session', 'sessions')}`,
    settings: 'Settings',
    measured: (ago: string) => `Measured ${ago}`,
    neverMeasured: 'Not measured yet',
    measureNow: 'Measure now',
    measuring: (done: string, total: string) => `Measuring ${done} of ${total}`,
    stop: 'Stop measuring',
  },

  ago: {
    now: 'just now',
    minutes: (n: number) => `${n} min ago`,
    hours: (n: number) => `${n} h ago`,
    days: (n: number) => `${n} ${plural(n, 'day', 'days')} ago`,
  },
  /** How long, without “ago”. */
  lasting: {
    seconds: (n: number) => `${n} s`,
    minutes: (n: number) => `${n} min`,
    hours: (n: number) => `${n} h`,
    both: (a: string, b: string) => `${a} ${b}`,
  },
  rate: {
    day: (signed: string) => `${signed} a day`,
    hour: (signed: string) => `${signed} an hour`,
  },
  dates: {
    tomorrow: (clock: string) => `tomorrow ${clock}`,
    today: 'today',
    todayAt: (clock: string) => `today ${clock}`,
    yesterday: 'yesterday',
    yesterdayAt: (clock: string) => `yesterday ${clock}`,
    since: (when: string) => `since ${when}`,
    unknown: 'unknown',
    dayAndClock: (day: string, clock: string) => `${day}, ${clock}`,
    span: (from: string, to: string) => `${from} to ${to}`,
    orLater: (from: string) => `${from} or later`,
  },

  verdict: {
    ok: 'Fine',
    unknown: 'Unknown',
    low: 'Low',
    critical: 'Critical',
  } satisfies Record<Verdict, string>,
  full: 'Full',
  cause: {
    percent: 'because of how full it is',
    available: 'because so little is available',
    time: 'because it fills so soon',
    full: 'because nothing more fits',
  } satisfies Record<Cause, string>,
  reason: {
    not_measured: 'Not looked at yet',
    denied: 'The system refuses to let Sandtray read it',
    busy: 'In use by the sandbox right now; the next look may succeed',
    unsupported: 'A format Sandtray does not read',
    corrupt: 'What is on it contradicts itself',
    timed_out: 'It did not answer in time',
    missing: 'It was there before and is gone',
    failed: 'Reading it failed',
  } satisfies Record<UnknownReason, string>,
  forecast: {
    full: (when: string) => `full ${when}`,
    steady: 'steady',
    shrinking: 'getting emptier',
    fullNow: 'full now',
    /** As `core::words::forecast` says it. */
    none: {
      too_few: 'trend not known yet: watched too briefly',
      too_short: 'trend not known yet: watched too briefly',
      too_noisy: 'no clear trend: it goes up and down',
      stale: 'no trend: the last measurement is too old',
      no_level: 'no trend: it cannot be read now',
    } satisfies Record<NoForecast, string>,
  },
  gauge: {
    unit: {
      guest_sessions: null,
      guest_system: null,
      host_bytes: null,
      host_inodes: 'files',
      guest_sessions_inodes: 'files',
      guest_system_inodes: 'files',
    } satisfies Record<GaugeKind, string | null>,
    list: 'How full everything is',
    of: (available: string, usable: string) => `${available} available of ${usable}`,
    /** For the tooltip, where a part is kept for the system. */
    inAll: (limit: string) => `${limit} in all, the rest is reserved`,
    /** As `core::words::fresh` says it. */
    fresh: 'as full as a fresh one',
    aboveFresh: (points: string) => `${points} above a fresh one`,
    belowFresh: (points: string) => `${points} below a fresh one`,
    asOf: (when: string) => `as of ${when}`,
    memory: 'This is memory',
    memoryWhy: 'Files here are kept in memory: when it is full, memory is.',
    notLive: 'Not in use',
    notLiveWhy: 'Belongs to an installation that is not the one in use now.',
    quiet: (until: string) => `quiet until ${until}`,
    show: (name: string) => `Show only ${name} in the chart`,
    more: (count: string) => `Show ${count} more`,
    fewer: 'Show fewer',
  },

  hero: {
    ring: (name: string, percent: string, verdict: string) => `${name}: ${percent} full, ${verdict}`,
    ringUnknown: 'Nothing is known yet',
    see: 'See what takes the space',
    /** Where the computer's own disk is what fills. */
    leftovers: (what: string) => `Clean ${what}…`,
    inside: 'See what is inside',
    reset: 'Reset sandbox storage…',
    tomorrow: 'Remind me tomorrow',
    hour: 'Remind me in an hour',
    /** Where both are offered, the words they share stand once. */
    remind: 'Remind me',
    inAnHour: 'in an hour',
    onTomorrow: 'tomorrow',
    quiet: (until: string) => `No reminders about this until ${until}.`,
    tell: 'Tell me again',
    starting: 'Starting…',
    startingWhy: 'Asking for the first numbers.',
    acted: (what: string) => `That did not work: ${what}`,
  },
  progress: {
    label: 'Measuring',
    /** The headline says that it is the first time. */
    first: 'So far',
    again: 'Measuring again',
    places: (done: string, total: string) => `${done} of ${total} places`,
    entries: (count: string) => `${count} files and folders so far`,
    since: (ago: string) => `started ${ago}`,
    stop: 'Stop measuring',
  },
  broken: {
    title: 'Sandtray’s window cannot reach its engine',
    why: 'The numbers are not shown because they could not be asked for. The tray icon may still be right.',
    retry: 'Try again',
    detail: 'What was said',
  },
  nothing: {
    title: 'What Sandtray looks for',
    bundles:
      'The disks of Claude Desktop’s Cowork sandbox, and the temp folders in which Claude Code leaves files.',
    later: 'Nothing needs to be set up: as soon as something appears, it is shown here.',
    elsewhere: 'If yours lie somewhere else, name the folder.',
    add: 'Add a folder in Settings',
  },
  faults: {
    label: 'About Sandtray itself',
    detail: 'Details',
    more: (count: string) => `${count} more`,
    // The sentences of `core::words::fault`: the tray and the command line say the same.
    kind: {
      history_set_aside: 'The history was damaged and set aside; a new one began',
      history_in_memory: 'The history cannot be written now; it is kept in memory until it can',
      history_newer: 'The history was written by a newer Sandtray; it is left alone and nothing is added',
      settings_unreadable: 'The settings could not be read; the defaults are in force and the file is left alone',
      settings_newer:
        'The settings were written by a newer Sandtray; the defaults are in force and the file is left alone',
      settings_unknown_keys: 'The settings hold words Sandtray does not know; they are kept',
      read_only: 'Another Sandtray keeps the history; this one only reads it',
      clock_went_back: 'The clock of this computer went back; the trend is judged from what lies before it',
      act_interrupted: 'An earlier action ended in the middle',
      no_tray: 'This desktop shows no tray icons; the window shows the same',
      no_notifications: 'This desktop takes no notifications; the tray and the window show the same',
    } satisfies Record<FaultKind, string>,
  },

  chart: {
    title: 'Over time',
    since: (when: string) => `watched since ${when}`,
    range: {
      '1h': '1 h',
      '24h': '24 h',
      '7d': '7 d',
      '30d': '30 d',
      '1y': '1 y',
    } satisfies Record<Range, string>,
    rangeLong: {
      '1h': 'The last hour',
      '24h': 'The last 24 hours',
      '7d': 'The last 7 days',
      '30d': 'The last 30 days',
      '1y': 'The last year',
    } satisfies Record<Range, string>,
    rangeLabel: 'Time span',
    legend: 'Lines in the chart',
    groups: { gauges: 'Disks', bundles: 'Bundles', roots: 'Temp folders' },
    all: (count: string) => `All ${count} lines`,
    fewer: 'Chosen lines only',
    gone: (name: string) => `${name} (no longer there)`,
    nth: (name: string, n: number) => `${name} (${n})`,
    entries: (name: string) => `${name}, entries`,
    size: (name: string) => `${name}, size`,
    plot: (lines: string, span: string) =>
      `Chart of ${lines}. ${span}. Use the left and right arrow keys to read single measurements.`,
    noLines: 'no lines',
    none: 'Choose a line above to see how it grew.',
    empty: 'Nothing was recorded in this time yet.',
    failed: (what: string) => `The history could not be read: ${what}`,
    asTable: 'Show as table',
    asChart: 'Show as chart',
    when: 'When',
    noValue: 'no measurement',
    forecast: 'forecast',
    forecastBetween: (from: string, to: string) => `forecast: ${from} to ${to}`,
    between: (low: string, high: string) => `${low} to ${high}`,
    full: (amount: string) => `full at ${amount}`,
    today: 'now',
    marks: 'What happened',
    mark: {
      stepped_down: 'emptied',
      appeared: 'first seen',
      vanished: 'gone',
    } satisfies Record<EventKind, string>,
    markOf: (name: string, what: string) => `${name}: ${what}`,
    tableCaption: (span: string) => `${span}: the last measurement of each row’s time`,
    tableForecast: (name: string, when: string) => `${name} is expected to be full ${when}`,
    tableTo: 'to',
  },

  bundles: {
    title: 'Cowork’s disks on this computer',
    none: 'Cowork’s disks were not found on this computer. Temp folders are watched all the same.',
    profile: {
      claude: 'Claude Desktop',
      claude_3p: 'Claude Desktop with another provider',
      extra: 'Further data folder',
    } satisfies Record<Profile, string>,
    live: 'In use',
    link: 'Reached through a link',
    linkWhy: 'A link stands in the path. It is measured, and never moved.',
    onDisk: (size: string) => `${size} on disk`,
    long: (size: string) => `${size} long`,
    files: (count: string, n: number) => `${count} ${plural(n, 'file', 'files')}`,
    file: 'File',
    role: 'What it is',
    apparent: 'Length',
    allocated: 'On disk',
    inside: 'Used inside',
    /** What the sandbox sees of a disk: used, and of how much. */
    insideOf: (used: string, size: string) => `${used} of ${size}`,
    roles: {
      system: 'System disk',
      session_data: 'Sessions disk',
      archive: 'Packed copy',
      boot: 'For starting up',
      tools: 'Tools',
      origin: 'Which release it came from',
      latch: 'Stops the app from repairing itself',
      identity: 'Identity of the sandbox',
      partial: 'Unfinished download',
      cache: 'Abandoned cache',
      other: 'Something else',
    } satisfies Record<Role, string>,
    total: 'Together',
  },
  roots: {
    title: 'Temp folders',
    none: 'No temp folders were found.',
    folder: 'Folder',
    size: 'On disk',
    entries: 'Entries',
    change: 'Change',
    noChange: 'steady',
    unknownChange: 'not known yet',
    atLeast: (value: string) => `at least ${value}`,
    /** Stands in for a number; the reason follows beside it. */
    unknown: 'unknown',
    atLeastWhy: 'Some of it could not be read.',
    memory: 'Memory',
    /** All temp folders of jobs, measured as one. */
    jobs: (count: string, n: number) => `${count} temp ${plural(n, 'folder', 'folders')} of Claude Code jobs, together`,
    others: 'No longer listed, still measured',
    why: {
      system_temp: 'The system’s temp folder',
      user_temp: 'Your temp folder',
      claude_temp: 'Claude Code’s temp folder',
      claude_override: 'Chosen for Claude Code',
      job_temp: 'Of a Claude Code job',
      configured: 'Added in Settings',
    } satisfies Record<RootWhy, string>,
    owner: {
      own: null,
      system: null,
      foreign: 'Another user’s',
      unknown: 'Owner unknown',
    } satisfies Record<Owner, string | null>,
  },
  canGo: {
    go: (what: string, size: string) => `${what} can go: ${size}`,
    /** Where they take no space worth a word. */
    goEmpty: (what: string) => `${what} can go`,
    why: (ago: string) => `Proven unused and worth nothing. Looked ${ago}.`,
    show: 'See them',
    /** On the card of a disk that fills. */
    bytes: (size: string) => `Clean leftovers: ${size}`,
    files: (count: string, n: number) => `Clean leftovers: ${count} ${plural(n, 'file', 'files')}`,
  },
  shapes: {
    title: 'What is in there',
    lead: 'The largest groups of names that look alike.',
    count: (count: string) => `${count} ×`,
    in: 'in',
  },
  gaps: {
    title: (count: string, n: number) => `${count} ${plural(n, 'place', 'places')} could not be read`,
    lead: 'What lies in them is missing from the numbers above.',
    what: (operation: string, cause: string) => `${operation}: ${cause}`,
    more: (count: string) => `and ${count} more`,
  },

  inside,
  leftovers,
  reset,
  act,
  activity,

  settings: {
    title: 'Settings',
    lead: 'When Sandtray speaks up, and where it looks.',
    loading: 'Reading the settings…',
    failed: 'The settings could not be read',
    lines: 'When to warn',
    linesLead: 'An early and a late warning for each. 0 GB, 0 days or 0 hours switch one off.',
    low: 'Low',
    critical: 'Critical',
    fullAgain: 'Told once more',
    rows: {
      sessions: { name: 'Sessions disk', unit: '% full', why: 'Where Cowork keeps every session.' },
      system: { name: 'System disk', unit: 'GB available', why: 'Most of it is taken from the first day, so only what is left counts.' },
      host: { name: 'This computer’s disks', unit: 'GB available', why: 'On small disks a tenth or a twenty-fifth of the disk, if that is less.' },
      inodes: { name: 'Number of files', unit: '% used', why: 'A disk can run out of files before it runs out of space.' },
      lowTime: { name: 'Time until full', unit: 'days', why: 'How soon a filling disk is worth a word.' },
      criticalTime: { unit: 'hours' },
    },
    inUnit: (what: string, level: string, unit: string) => `${what}, ${level}, ${unit}`,
    defaults: 'Put the defaults back',
    telling: 'How to tell',
    notifications: 'Show notifications',
    notificationsWhy: 'One for each trouble and level, never again and again.',
    daily: 'Notifications a day, at most',
    dailyWhy: 'Critical ones come all the same.',
    autostart: 'Start when I log in',
    autostartWhy: 'The tray icon only; this window stays closed.',
    folders: 'Where to look besides the usual places',
    foldersLead: 'Adding a folder changes nothing in it. Removing one only stops the watching.',
    kinds: {
      root: { name: 'Temp folders', none: 'None added.', add: 'Add a temp folder…' },
      user_data: { name: 'Data folders of Claude Desktop', none: 'None added.', add: 'Add a data folder…' },
      config_dir: { name: 'Configuration folders of Claude Code', none: 'None added.', add: 'Add a configuration folder…' },
    } satisfies Record<FolderKind, { name: string; none: string; add: string }>,
    remove: 'Stop watching',
    removeThis: (path: string) => `Stop watching ${path}`,
    folderFailed: (what: string) => `The folder list was not changed: ${what}`,
    about: 'About',
    file: 'Settings are kept in',
    version: 'Version',
    quietTalk: 'Sandtray talks to nobody: no network, no statistics.',
    changed: 'You have changes that are not saved.',
    save: 'Save changes',
    discard: 'Discard changes',
    saving: 'Saving…',
    saved: 'Saved.',
    notSaved: (what: string) => `Not saved: ${what}`,
    fix: (count: number) => `${count} ${plural(count, 'value needs', 'values need')} another look before saving.`,
    errors: {
      number: 'Write a number.',
      whole: 'Write a whole number.',
      between: (low: string, high: string) => `Between ${low} and ${high}.`,
      below: (other: string) => `Must not be more than “${other}”.`,
      above: (other: string) => `Must not be less than “${other}”.`,
      sooner: 'Must not be earlier than “Low”.',
    },
  },
};

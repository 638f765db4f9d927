// The settings as the user is typing them. What was typed is kept as text until it was stored:
// neither a wrong value nor a failed save nor a newer answer from Rust takes it away.

import type { FolderKind } from '../bindings/FolderKind';
import type { LeftoverSettings } from '../bindings/LeftoverSettings';
import type { SettingsPatch } from '../bindings/SettingsPatch';
import type { SettingsView } from '../bindings/SettingsView';
import type { Thresholds } from '../bindings/Thresholds';
import * as ipc from '../ipc';
import { words } from '../words';

const GB = 1_000_000_000;

/** How a field is typed and what it may hold. */
interface Kind {
  /** Typed in gigabytes, stored in bytes. */
  gigabytes: boolean;
  low: number;
  high: number;
}

const PERCENT: Kind = { gigabytes: false, low: 1, high: 100 };
// More than the largest volume anybody has; the number must survive as a double. 0 is off.
const SIZE: Kind = { gigabytes: true, low: 0, high: 1_000_000 };
// As wide as Rust stores them, so that what a file holds can always be saved again. 0 is off.
const COUNT: Kind = { gigabytes: false, low: 0, high: 255 };
// At most a month between two clean-ups, as Rust keeps them.
const HOURS: Kind = { gigabytes: false, low: 1, high: 720 };
// Ten years. 0 is never.
const DAYS: Kind = { gigabytes: false, low: 0, high: 3650 };

/** Every field that is typed, in the order of the page. */
export const FIELDS = {
  sessions_low_percent: PERCENT,
  sessions_critical_percent: PERCENT,
  sessions_full_percent: PERCENT,
  system_low_available: SIZE,
  system_critical_available: SIZE,
  host_low_available: SIZE,
  host_critical_available: SIZE,
  inodes_low_percent: PERCENT,
  inodes_critical_percent: PERCENT,
  low_days: COUNT,
  critical_hours: COUNT,
  daily_notices: COUNT,
  leftovers_hours: HOURS,
  leftovers_days: DAYS,
} as const satisfies Record<keyof Thresholds | 'daily_notices' | 'leftovers_hours' | 'leftovers_days', Kind>;

export type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];
const LINES = NAMES.filter((name): name is keyof Thresholds => name !== 'daily_notices' && !name.startsWith('leftovers_'));

/** Pairs that must stand in order: the first not above the second. Rust puts right what slips through. */
const ORDER: readonly [Field, Field][] = [
  ['sessions_low_percent', 'sessions_critical_percent'],
  ['system_critical_available', 'system_low_available'],
  ['host_critical_available', 'host_low_available'],
  ['inodes_low_percent', 'inodes_critical_percent'],
];

/** Reads a number as people write it, with a point or a comma; NaN where it is none. */
export function parse(text: string): number {
  const plain = text.trim().replace(',', '.');
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : NaN;
}

function written(name: Field, value: number): string {
  return String(FIELDS[name].gigabytes ? value / GB : value);
}

function stored(name: Field, text: string): number {
  const value = parse(text);
  return FIELDS[name].gigabytes ? Math.round(value * GB) : value;
}

type Texts = Record<Field, string>;

function lines(thresholds: Thresholds): Pick<Texts, keyof Thresholds> {
  return Object.fromEntries(LINES.map((name) => [name, written(name, thresholds[name])])) as Texts;
}

function texts({ thresholds, daily_notices, leftovers }: SettingsView): Texts {
  return { ...lines(thresholds), daily_notices: String(daily_notices), leftovers_hours: String(leftovers.hours), leftovers_days: String(leftovers.discard_after_days) };
}

/** What is wrong with what was typed, by field. */
export function check(typed: Texts): Partial<Texts> {
  const { errors, low, critical } = words.settings;
  const wrong: Partial<Texts> = {};
  for (const name of NAMES) {
    const kind = FIELDS[name];
    const value = parse(typed[name]);
    if (Number.isNaN(value)) wrong[name] = errors.number;
    else if (!kind.gigabytes && !Number.isInteger(value)) wrong[name] = errors.whole;
    else if (value < kind.low || value > kind.high) wrong[name] = errors.between(String(kind.low), String(kind.high));
  }
  for (const [below, above] of ORDER) {
    if (wrong[below] || wrong[above] || parse(typed[below]) <= parse(typed[above])) continue;
    // Told at the late warning, whichever way it counts.
    if (below.includes('critical')) wrong[below] = errors.below(low);
    else wrong[above] = errors.above(low);
  }
  const [crit, full] = [typed.sessions_critical_percent, typed.sessions_full_percent];
  if (!wrong.sessions_critical_percent && !wrong.sessions_full_percent && parse(full) < parse(crit)) {
    wrong.sessions_full_percent = errors.above(critical);
  }
  if (!wrong.low_days && !wrong.critical_hours && parse(typed.critical_hours) > parse(typed.low_days) * 24) {
    wrong.critical_hours = errors.sooner;
  }
  return wrong;
}

/** The settings being changed. */
export class Draft {
  /** What is in force, as Rust said. */
  view = $state.raw<SettingsView | null>(null);
  failure = $state<string | null>(null);
  typed = $state<Texts>(blank());
  notifications = $state(true);
  autostart = $state(false);
  /** Clean leftovers at an interval. */
  schedule = $state(false);
  /** Also as soon as a volume is critical. */
  whenCritical = $state(false);
  saving = $state(false);
  saved = $state(false);
  saveFailure = $state<string | null>(null);
  folderFailure = $state<string | null>(null);
  /** The user tried to save: from now on wrong values are pointed at. */
  tried = $state(false);

  wrong = $derived(check(this.typed));
  wrongCount = $derived(Object.keys(this.wrong).length);
  dirty = $derived.by(() => {
    if (this.view === null) return false;
    const kept = texts(this.view);
    return (
      this.notifications !== this.view.notifications ||
      this.autostart !== this.view.autostart ||
      this.schedule !== this.view.leftovers.schedule ||
      this.whenCritical !== this.view.leftovers.when_critical ||
      NAMES.some((name) => this.typed[name].trim() !== kept[name])
    );
  });
  /** The lines differ from what a new installation has. */
  unusual = $derived.by(() => {
    if (this.view === null) return false;
    const fresh = lines(this.view.default_thresholds);
    return LINES.some((name) => this.typed[name].trim() !== fresh[name]);
  });

  /** Asks what is in force; what was typed stays. */
  async load(): Promise<void> {
    try {
      this.#take(await ipc.settings());
      this.failure = null;
    } catch (error) {
      this.failure = ipc.reason(error);
    }
  }

  /** Stores what differs. True where it was stored. */
  async save(): Promise<boolean> {
    this.tried = true;
    this.saved = false;
    this.saveFailure = null;
    if (this.view === null || this.wrongCount > 0) return false;
    this.saving = true;
    const sent = { typed: { ...this.typed }, notifications: this.notifications, autostart: this.autostart, schedule: this.schedule, whenCritical: this.whenCritical };
    try {
      const view = await ipc.saveSettings(this.#patch(this.view));
      const kept = texts(view);
      // A field that was typed into while saving is newer than the answer.
      for (const name of NAMES) if (this.typed[name] === sent.typed[name]) this.typed[name] = kept[name];
      if (this.notifications === sent.notifications) this.notifications = view.notifications;
      if (this.autostart === sent.autostart) this.autostart = view.autostart;
      if (this.schedule === sent.schedule) this.schedule = view.leftovers.schedule;
      if (this.whenCritical === sent.whenCritical) this.whenCritical = view.leftovers.when_critical;
      this.view = view;
      this.tried = false;
      this.saved = true;
      return true;
    } catch (error) {
      this.saveFailure = ipc.reason(error);
      return false;
    } finally {
      this.saving = false;
    }
  }

  /** Goes back to what is in force. */
  discard(): void {
    if (this.view === null) return;
    this.typed = texts(this.view);
    this.notifications = this.view.notifications;
    this.autostart = this.view.autostart;
    this.schedule = this.view.leftovers.schedule;
    this.whenCritical = this.view.leftovers.when_critical;
    this.saveFailure = null;
    this.tried = false;
  }

  /** Types the lines of a new installation; they are stored with the next save. */
  defaults(): void {
    if (this.view === null) return;
    const fresh = lines(this.view.default_thresholds);
    for (const name of LINES) this.typed[name] = fresh[name];
  }

  /** Lets the user choose a folder; stored at once. */
  async addFolder(kind: FolderKind): Promise<void> {
    await this.#folders(() => ipc.addFolder(kind));
  }

  /** Takes a folder from the list; stored at once. */
  async removeFolder(id: string): Promise<void> {
    await this.#folders(() => ipc.removeFolder(id));
  }

  async #folders(change: () => Promise<SettingsView | null>): Promise<void> {
    this.folderFailure = null;
    try {
      const view = await change();
      if (view !== null) this.#take(view);
    } catch (error) {
      this.folderFailure = ipc.reason(error);
    }
  }

  /** Takes a newer answer; a field the user changed keeps what was typed. */
  #take(view: SettingsView): void {
    const before = this.view;
    const kept = before === null ? null : texts(before);
    const next = texts(view);
    for (const name of NAMES) {
      if (kept === null || this.typed[name] === kept[name]) this.typed[name] = next[name];
    }
    if (before === null || this.notifications === before.notifications) this.notifications = view.notifications;
    if (before === null || this.autostart === before.autostart) this.autostart = view.autostart;
    if (before === null || this.schedule === before.leftovers.schedule) this.schedule = view.leftovers.schedule;
    if (before === null || this.whenCritical === before.leftovers.when_critical) this.whenCritical = view.leftovers.when_critical;
    this.view = view;
  }

  /** Only what differs: a second Sandtray's change to another field is not undone. */
  #patch(view: SettingsView): SettingsPatch {
    const thresholds = { ...view.thresholds };
    let crossed = false;
    for (const name of LINES) {
      // A field that was not touched keeps its exact bytes.
      if (this.typed[name].trim() === written(name, thresholds[name])) continue;
      thresholds[name] = stored(name, this.typed[name]);
      crossed = true;
    }
    const daily = stored('daily_notices', this.typed.daily_notices);
    const leftovers: LeftoverSettings = {
      schedule: this.schedule,
      hours: stored('leftovers_hours', this.typed.leftovers_hours),
      when_critical: this.whenCritical,
      discard_after_days: stored('leftovers_days', this.typed.leftovers_days),
    };
    const { schedule, hours, when_critical, discard_after_days } = view.leftovers;
    const kept = leftovers.schedule === schedule && leftovers.hours === hours && leftovers.when_critical === when_critical && leftovers.discard_after_days === discard_after_days;
    return {
      ...(crossed ? { thresholds } : {}),
      ...(this.notifications === view.notifications ? {} : { notifications: this.notifications }),
      ...(this.autostart === view.autostart ? {} : { autostart: this.autostart }),
      ...(daily === view.daily_notices ? {} : { daily_notices: daily }),
      ...(kept ? {} : { leftovers }),
    };
  }
}

function blank(): Texts {
  return Object.fromEntries(NAMES.map((name) => [name, ''])) as Texts;
}

// Answers in Rust's place, at the same door. For `vite --mode mock`, the picture test and the tests
// of panels; the ordinary build holds none of it.

import type { Acts } from '../bindings/Acts';
import type { Cleaning } from '../bindings/Cleaning';
import type { FolderKind } from '../bindings/FolderKind';
import type { Range } from '../bindings/Range';
import type { SettingsPatch } from '../bindings/SettingsPatch';
import type { Lead } from '../bindings/Lead';
import type { SettingsView } from '../bindings/SettingsView';
import type { Snooze } from '../bindings/Snooze';
import type { Status } from '../bindings/Status';
import { emit, mockIPC, mockWindows } from '../ipc';
import { speak, type Words } from '../words';
import { en } from '../words/en';
import { type ActingAnswers, actingAnswers, actingOf } from './acting';
import * as cleans from './cleans';
import { historyOf } from './histories';
import type { Insides } from './insides';
import { answers as leftoversOf, heavy, type LeftoversAnswers, leftoversAnswers } from './leftovers';
import { NOW } from './parts';
import * as receipts from './receipts';
import * as rescues from './rescues';
import { type Scenario, type ScenarioName, scenarios } from './scenarios';

/** The running stand-in: what it was asked, and a way to tell the window something. */
export interface Backend {
  calls: { command: string; args: Record<string, unknown> }[];
  status: Status | null;
  settings: SettingsView;
  /** The next save is refused with this. */
  refuse: string | null;
  /** What is behind the guest's disks; a test may change it between two questions. */
  insides: Insides;
  /** What is said about acts; a test may change it between two questions. */
  acting: ActingAnswers;
  /** What is said about leftovers; a test may change it between two questions. */
  leftovers: LeftoversAnswers;
  /** Lets a reading or a rescue that hangs end, as its cancelling does. */
  release: (() => void) | null;
  tell(status: Status): Promise<void>;
  lead(lead: Lead): Promise<void>;
  tellActs(acts: Partial<Acts>): Promise<void>;
  tellCleaning(cleaning: Cleaning): Promise<void>;
}

/** Puts a scenario behind the door. */
export function install(scenario: Scenario): Backend {
  const backend: Backend = {
    calls: [],
    status: scenario.status,
    settings: structuredClone(scenario.settings),
    refuse: null,
    insides: scenario.insides ?? {},
    acting: structuredClone(scenario.acting ?? actingOf(scenario.status)),
    leftovers: structuredClone(scenario.leftovers ?? leftoversOf(heavy)),
    release: null,
    async tellCleaning(cleaning) {
      backend.leftovers.cleaning = cleaning;
      await emit('cleaning', cleaning);
    },
    async tellActs(acts) {
      backend.acting.acts = { ...backend.acting.acts, ...acts };
      await emit('acts-changed', backend.acting.acts);
    },
    async tell(status) {
      backend.status = status;
      await emit('status-changed', status);
    },
    lead: (lead) => emit('lead', lead),
  };

  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    ...actingAnswers(() => backend.acting, (acts) => backend.tellActs(acts)),
    ...leftoversAnswers(() => backend.leftovers, (cleaning) => backend.tellCleaning(cleaning), hang),
    status: () => {
      if (backend.status === null) throw { text: 'the engine has stopped: thread “engine” ended' };
      return backend.status;
    },
    history: ({ range }) => {
      if (backend.status === null) throw { text: 'the engine has stopped: thread “engine” ended' };
      return historyOf(backend.status, scenario.past, range as Range);
    },
    focus: () => scenario.focus ?? null,
    settings: () => {
      if (scenario.status === null) throw { text: 'the engine has stopped: thread “engine” ended' };
      return backend.settings;
    },
    measure_now: () => change({ progress: { done: 0, total: 4, entries: 0, since: NOW } }),
    cancel_measurement: () => change({ progress: null }),
    snooze: ({ gauge, span }) => {
      const until = { hour: NOW + 3600, day: NOW + 86_400, off: null }[span as Snooze];
      return change({
        gauges: (backend.status?.gauges ?? []).map((known) =>
          gauge === null || known.id === gauge ? { ...known, snoozed_until: until } : known,
        ),
      });
    },
    save_settings: ({ patch }) => {
      if (backend.refuse !== null) throw { text: backend.refuse };
      backend.settings = { ...backend.settings, ...(patch as SettingsPatch) } as SettingsView;
      return backend.settings;
    },
    add_folder: ({ kind }) => {
      const folder = { id: `new${backend.settings.folders.length}`, kind: kind as FolderKind, path: '/home/ada/chosen in the dialog' };
      backend.settings = { ...backend.settings, folders: [...backend.settings.folders, folder] };
      return backend.settings;
    },
    inside: ({ disk, folder }) => {
      const answer = backend.insides[disk as string];
      if (answer === undefined) throw { text: 'no such disk: it is no longer there' };
      if (typeof answer.top === 'string') throw { text: answer.top };
      const view = folder === null ? answer.top : answer.folders?.[folder as string];
      if (view === undefined) throw { text: 'open the folder: it is no longer on the disk; read the disk again' };
      if (answer.hangs === undefined) return view;
      return hang('inside-progress', { disk, entries: answer.hangs }, { ...view, cancelled: true, complete: false, entries: [], growth: null });
    },
    cancel_inside: () => {
      backend.release?.();
      return null;
    },
    rescue: ({ disk }) => {
      const { rescue = null } = backend.insides[disk as string] ?? {};
      if (typeof rescue === 'string') throw { text: rescue };
      if (rescue === null || !('progress' in rescue)) return rescue;
      return hang('rescue-progress', { disk, ...rescue.progress }, rescue.end);
    },
    cancel_rescue: () => {
      backend.release?.();
      return null;
    },
    remove_folder: ({ id }) => {
      backend.settings = { ...backend.settings, folders: backend.settings.folders.filter((folder) => folder.id !== id) };
      return backend.settings;
    },
  };

  /** An answer that comes only when somebody asks to stop. */
  async function hang<T>(event: string, progress: unknown, answer: T): Promise<T> {
    await emit(event, progress);
    await new Promise<void>((done) => (backend.release = done));
    backend.release = null;
    return answer;
  }

  async function change(part: Partial<Status>): Promise<null> {
    if (backend.status !== null) await backend.tell({ ...backend.status, ...part });
    return null;
  }

  mockWindows('main');
  mockIPC(
    (command, args) => {
      backend.calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      const answer = answers[command];
      if (answer === undefined) throw new Error(`no such command: ${command}`);
      return answer((args ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
  return backend;
}

/** Numbers and names that no language stretches. */
const KEPT = new Set(['locale', 'percent', 'range', 'name', 'separator', 'noNumber', 'join', 'colon']);

/** Every word 40 % longer, as German or Japanese in wide letters would be. */
export function longer<T>(words: T): T {
  if (typeof words === 'string') return stretch(words) as T;
  if (typeof words === 'function') {
    return ((...args: unknown[]) => stretch((words as unknown as (...args: unknown[]) => string)(...args))) as T;
  }
  if (words === null || typeof words !== 'object') return words;
  return Object.fromEntries(Object.entries(words).map(([key, value]) => [key, KEPT.has(key) ? value : longer(value)])) as T;
}

function stretch(text: string): string {
  const wanted = Math.ceil(text.length * 0.4);
  return text + 'en und weiter so'.repeat(10).slice(0, wanted).trimEnd();
}

/** Chooses the scenario by the address: `?scenario=low&words=long`. */
export async function fromAddress(): Promise<void> {
  const asked = new URLSearchParams(location.search);
  const name = (asked.get('scenario') ?? 'low') as ScenarioName;
  const scenario: Scenario = scenarios[name] ?? scenarios.low;
  let { status } = scenario;
  if (asked.get('words') === 'long') {
    speak(longer<Words>(en));
    if (status !== null) {
      status = {
        ...status,
        summary: stretch(status.summary),
        advice: stretch(status.advice),
        gauges: status.gauges.map((gauge) => ({ ...gauge, name: stretch(gauge.name) })),
      };
    }
  }
  const backend = install({ ...scenario, status });
  // As the engine does: a snapshot each few seconds that differs by a few kilobytes.
  const beat = Number(asked.get('beat'));
  if (beat > 0 && status !== null) {
    let count = 0;
    setInterval(() => {
      count += 1;
      const now = { ...backend.status!, at: NOW + Math.round(count * beat) };
      void backend.tell({ ...now, gauges: now.gauges.map((gauge) => (gauge.used === null ? gauge : { ...gauge, used: gauge.used + (gauge.kind === 'host_inodes' ? 1 : 4096), percent: (gauge.percent ?? 0) + 0.0001, as_of: now.at })) });
    }, beat * 1000);
  }
  // For pictures of states that are reached by doing something.
  Object.assign(window, { backend, rescues, receipts, cleans });
}

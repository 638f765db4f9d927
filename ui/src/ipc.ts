// The only door to Rust: the one file that names Tauri. Commands in, events out; every other file
// works with plain promises and generated types, so a test or a picture replaces the backend by
// answering the same names.
//
// Three kinds, told apart by name: queries (`status`, `history`, `settings`, `focus`, `inside`, `acts`,
// `activity`, `leftovers`, `leftoverCandidates`, `cleaning`, `cleanReceipts` and the previews `resetView`,
// `restoreView`, `discardView`, `cleanView`), acts that give the new state, a receipt or a sentence back
// (`saveSettings`, `addFolder`, `removeFolder`, `rescue`, `exportActivity`, `restoreLeftovers`,
// `discardLeftovers`), and triggers whose effect arrives as an event or ends a query (`measureNow`,
// `cancelMeasurement`, `snooze`, `cancelInside`, `cancelRescue`, `applyPlan`, `cancelAct`, `applyClean`, `cancelClean`).

import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';

import type { ActPreview } from './bindings/ActPreview';
import type { Acts } from './bindings/Acts';
import type { CandidatePage } from './bindings/CandidatePage';
import type { CleanChoice } from './bindings/CleanChoice';
import type { CleanPreview } from './bindings/CleanPreview';
import type { CleanReceipt } from './bindings/CleanReceipt';
import type { Cleaning } from './bindings/Cleaning';
import type { DiskId } from './bindings/DiskId';
import type { EntryView } from './bindings/EntryView';
import type { FolderKind } from './bindings/FolderKind';
import type { GaugeId } from './bindings/GaugeId';
import type { Lead } from './bindings/Lead';
import type { History } from './bindings/History';
import type { InsideProgress } from './bindings/InsideProgress';
import type { InsideView } from './bindings/InsideView';
import type { LeftoversView } from './bindings/LeftoversView';
import type { Range } from './bindings/Range';
import type { RescueEnd } from './bindings/RescueEnd';
import type { RescueProgress } from './bindings/RescueProgress';
import type { ResetView } from './bindings/ResetView';
import type { SettingsPatch } from './bindings/SettingsPatch';
import type { SettingsView } from './bindings/SettingsView';
import type { Snooze } from './bindings/Snooze';
import type { Status } from './bindings/Status';

// For tests and the mock build only; the ordinary build drops what nobody imports.
export { clearMocks, mockIPC, mockWindows } from '@tauri-apps/api/mocks';
export { emit } from '@tauri-apps/api/event';

/** The latest snapshot; never waits for a measurement. */
export const status = () => invoke<Status>('status');

/** The chart of a range. */
export const history = (range: Range) => invoke<History>('history', { range });

/** The settings in force. */
export const settings = () => invoke<SettingsView>('settings');

/** Where this window was opened to lead; asking forgets it. */
export const focus = () => invoke<Lead | null>('focus');

/** Stores what the patch names and gives back what is in force. */
export const saveSettings = (patch: SettingsPatch) =>
  invoke<SettingsView>('save_settings', { patch });

/** Lets the user choose a folder in the system's own dialog; null where they chose none. */
export const addFolder = (kind: FolderKind) => invoke<SettingsView | null>('add_folder', { kind });

/** Takes a folder out of the settings; the folder itself is not touched. */
export const removeFolder = (id: string) => invoke<SettingsView>('remove_folder', { id });

/** Starts a full measurement, unless one runs. */
export const measureNow = () => invoke<null>('measure_now');

/** Stops a running full measurement. */
export const cancelMeasurement = () => invoke<null>('cancel_measurement');

/** Is quiet about a gauge, or about all of them where none is named. */
export const snooze = (gauge: GaugeId | null, span: Snooze) =>
  invoke<null>('snooze', { gauge, span });

/** Reads one folder of a guest's disk, or its top where none is named; may take a while. */
export const inside = (disk: DiskId, folder: string | null) =>
  invoke<InsideView>('inside', { disk, folder });

/** Stops a running reading; its answer says that it was cancelled. */
export const cancelInside = () => invoke<null>('cancel_inside');

/**
 * Lets the user choose a folder in the system's own dialog and copies entries into it; null where
 * they chose none.
 */
export const rescue = (disk: DiskId, entries: string[]) =>
  invoke<RescueEnd | null>('rescue', { disk, entries });

/** Stops a running rescue; its receipt says what came out until then. */
export const cancelRescue = () => invoke<null>('cancel_rescue');

/** What a reset of a bundle would do, in each scope; of the only one where none is named. */
export const resetView = (bundle: string | null) => invoke<ResetView>('reset_view', { bundle });

/** What putting a parked copy back would do. */
export const restoreView = (copy: string) => invoke<ActPreview>('restore_view', { copy });

/** What discarding a parked copy would do: to the trash, or for good. */
export const discardView = (copy: string, forGood: boolean) =>
  invoke<ActPreview>('discard_view', { copy, forGood });

/** The act that runs, the one that ended last, and what is parked. */
export const acts = () => invoke<Acts>('acts');

/** Every act on record. */
export const activity = () => invoke<EntryView[]>('activity');

/** Begins the act that was read, by the id of its preview; how it goes arrives as an event. */
export const applyPlan = (plan: string) => invoke<null>('apply_plan', { plan });

/** Stops the act that runs, where everything can still be left as it was. */
export const cancelAct = () => invoke<null>('cancel_act');

/** Lets the user choose a file in the system's own dialog and writes every act into it; false where they chose none. */
export const exportActivity = () => invoke<boolean>('export_activity');

/** What leftovers there are; may take seconds. */
export const leftovers = () => invoke<LeftoversView>('leftovers');

/** Some leftovers of a group whose path contains a text, the largest first; `total` counts all that match. */
export const leftoverCandidates = (group: string, search: string, offset: number, limit: number) =>
  invoke<CandidatePage>('leftover_candidates', { group, search, offset, limit });

/** What cleaning a choice would do. */
export const cleanView = (choice: CleanChoice) => invoke<CleanPreview>('clean_view', { choice });

/** Begins the clean-up that was read, by the id of its preview; how it goes arrives as an event. */
export const applyClean = (id: string) => invoke<null>('apply_clean', { id });

/** Stops the clean-up that runs; its receipt says what went until then. */
export const cancelClean = () => invoke<null>('cancel_clean');

/** The clean-up that runs, the one that ended last, and what stands aside. */
export const cleaning = () => invoke<Cleaning>('cleaning');

/** Every clean-up on record, the newest first. */
export const cleanReceipts = () => invoke<CleanReceipt[]>('clean_receipts');

/** Moves parked leftovers back to where they were; the answer says what became of them. */
export const restoreLeftovers = (copy: string) => invoke<string>('restore_leftovers', { copy });

/** Removes parked leftovers for good; the answer says what became of them. */
export const discardLeftovers = (copy: string) => invoke<string>('discard_leftovers', { copy });

/** Calls back with each new snapshot, until the returned function is called. */
export const onStatus = (then: (status: Status) => void) =>
  listen<Status>('status-changed', (event) => then(event.payload));

/** Calls back when the history has a new point. */
export const onHistory = (then: () => void) => listen('history-changed', () => then());

/** Calls back while a disk's inside is read. */
export const onInsideProgress = (then: (progress: InsideProgress) => void) =>
  listen<InsideProgress>('inside-progress', (event) => then(event.payload));

/** Calls back while a rescue copies. */
export const onRescueProgress = (then: (progress: RescueProgress) => void) =>
  listen<RescueProgress>('rescue-progress', (event) => then(event.payload));

/** Calls back when an act begins, goes on or ends, and when what is parked changes. */
export const onActs = (then: (acts: Acts) => void) =>
  listen<Acts>('acts-changed', (event) => then(event.payload));

/** Calls back while leftovers are looked for, with how many names were seen. */
export const onLeftoversProgress = (then: (progress: { seen: number }) => void) =>
  listen<{ seen: number }>('leftovers-progress', (event) => then(event.payload));

/** Calls back when a clean-up begins, goes on or ends, and when what stands aside changes. */
export const onCleaning = (then: (cleaning: Cleaning) => void) =>
  listen<Cleaning>('cleaning', (event) => then(event.payload));

/** Calls back when a click in the tray or on a notification leads somewhere. */
export const onFocus = (then: (lead: Lead) => void) =>
  listen<Lead>('lead', (event) => then(event.payload));

/** What a rejected command says: Rust words it, we only find the text. */
export function reason(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error !== null && typeof error === 'object') {
    const { text, message } = error as { text?: unknown; message?: unknown };
    if (typeof text === 'string') return text;
    if (typeof message === 'string') return message;
  }
  return String(error);
}

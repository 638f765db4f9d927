// What Rust answers about acts, for each machine; a test may change it between two questions.

import type { ActPreview } from '../bindings/ActPreview';
import type { Acts } from '../bindings/Acts';
import type { EntryView } from '../bindings/EntryView';
import type { ResetView } from '../bindings/ResetView';
import type { Status } from '../bindings/Status';
import { discardOf, restoreOf } from './copies';
import { resetOf } from './resets';

export interface ActingAnswers {
  /** By bundle; the page, or why it cannot be made. */
  resets: Record<string, ResetView | string>;
  /** Exceptions from what a copy would give. */
  restores: Record<string, ActPreview | string>;
  discards: Record<string, ActPreview | string>;
  acts: Acts;
  entries: EntryView[] | string;
  /** Applying is refused with this. */
  refuse: string | null;
  /** A file was chosen for the export. */
  chosen: boolean;
}

/** A machine on which nothing was done yet. */
export function actingOf(status: Status | null, own: Partial<ActingAnswers> = {}): ActingAnswers {
  return {
    resets: Object.fromEntries((status?.bundles ?? []).map((bundle) => [bundle.id, status === null ? '' : resetOf(status, bundle)])),
    restores: {},
    discards: {},
    acts: { running: [], last: null, parked: [] },
    entries: [],
    refuse: null,
    chosen: true,
    ...own,
  };
}

const given = <T>(answer: T | string | undefined, otherwise: string): T => {
  if (answer === undefined) throw { text: otherwise };
  if (typeof answer === 'string') throw { text: answer };
  return answer;
};

/** Commands by name. `tell` sends what changed to the window. */
export function actingAnswers(now: () => ActingAnswers, tell: (acts: Acts) => Promise<void>): Record<string, (args: Record<string, unknown>) => unknown> {
  const parked = (id: unknown) => now().acts.parked.find((copy) => copy.id === id);
  const gone = 'There is no such parked copy. `sandtrayctl parked list` lists what there is.';
  return {
    reset_view: ({ bundle }) => given(now().resets[(bundle ?? '') as string], 'read the sandbox storage: it is no longer there'),
    restore_view: ({ copy }) => {
      const of = parked(copy);
      return given(now().restores[copy as string] ?? (of === undefined ? undefined : restoreOf(of)), gone);
    },
    discard_view: ({ copy, forGood }) => {
      const of = parked(copy);
      return given(now().discards[`${copy as string} ${String(forGood)}`] ?? (of === undefined ? undefined : discardOf(of, forGood === true)), gone);
    },
    acts: () => now().acts,
    activity: () => given(now().entries as EntryView[] | string, ''),
    apply_plan: async () => {
      const { refuse } = now();
      if (refuse !== null) throw { text: refuse };
      return null;
    },
    cancel_act: async () => {
      const { acts } = now();
      await tell({ ...acts, running: [] });
      return null;
    },
    export_activity: () => now().chosen,
  };
}

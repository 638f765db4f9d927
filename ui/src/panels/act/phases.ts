// Twelve steps are too many to follow; a person sees five. The steps themselves stand in the details.

import type { ActProgress } from '../../bindings/ActProgress';
import type { ActStep } from '../../bindings/ActStep';

export type Phase = 'quit' | 'prove' | 'move' | 'swap' | 'start' | 'check' | 'back' | 'again';
export type PhaseState = 'todo' | 'now' | 'done' | 'failed';

const OF: Record<ActStep, Phase> = {
  quit: 'quit',
  prove: 'prove',
  record: 'prove',
  move: 'move',
  prove_again: 'move',
  latch: 'move',
  compare: 'move',
  relaunch: 'start',
  watch: 'check',
  verify: 'check',
  put_back: 'back',
  start_again: 'again',
};

/** What comes, in order; an app that does not run is neither quit nor started. */
export function phases(running: boolean, restore = false): Phase[] {
  const move = restore ? 'swap' : 'move';
  return running ? ['quit', 'prove', move, 'start', 'check'] : ['prove', move, 'check'];
}

/** How each stands. What was not begun does not come any more once things are put back. */
export function followed(steps: readonly ActProgress[], restore = false): { phase: Phase; state: PhaseState }[] {
  const seen = new Set(steps.map(({ step }) => OF[step]));
  const turned = seen.has('back') || seen.has('again');
  const came = (phase: Phase) => seen.has(phase === 'swap' ? 'move' : phase);
  const planned = phases(seen.has('quit') || seen.has('start'), restore);
  const shown = turned ? [...planned.filter(came), ...(['back', 'again'] as const).filter(came)] : planned;
  return shown.map((phase, at) => {
    const own = steps.filter(({ step }) => OF[step] === (phase === 'swap' ? 'move' : phase));
    const last = own.at(-1);
    if (own.some(({ state }) => state === 'failed')) return { phase, state: 'failed' };
    if (last === undefined) return { phase, state: 'todo' };
    const over = shown.slice(at + 1).some(came) || (last.state === 'done' && LAST.has(last.step));
    return { phase, state: over ? 'done' : 'now' };
  });
}

/** Steps that end their phase. */
const LAST = new Set<ActStep>(['quit', 'record', 'compare', 'relaunch', 'verify', 'put_back', 'start_again']);

/** The step that is under way, or the last that was. */
export function current(steps: readonly ActProgress[]): ActProgress | null {
  return steps.findLast(({ state }) => state === 'begun') ?? steps.at(-1) ?? null;
}

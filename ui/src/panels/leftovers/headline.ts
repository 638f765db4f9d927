// "So what?" for leftovers: what can go now, and what else is there.

import type { ClassView } from '../../bindings/ClassView';
import type { LeftoversView } from '../../bindings/LeftoversView';
import { amount, counted, sentence } from '../../format';
import { proposed, whole } from '../../state/leftovers.svelte';
import { words } from '../../words';

const bytes = (value: number) => amount(value, true);
const dead = (groups: readonly ClassView[]) => groups.reduce((sum, { dead }) => sum + dead, 0);
const allocated = (groups: readonly ClassView[]) => groups.reduce((sum, { dead_allocated }) => sum + dead_allocated, 0);
const count = (groups: readonly ClassView[]) => groups.reduce((sum, { count }) => sum + count, 0);

/** `4,318 leftovers`, `2 million leftovers`. */
export const named = (n: number) => words.leftovers.leftovers(counted(n), n);

/** A name from Rust at the head of something: a capital, no full stop. */
export const capital = (text: string) => sentence(text).replace(/\.$/, '');

/** What can go now: how many, and how much. */
export function headline(view: LeftoversView): string {
  const say = words.leftovers.headline;
  const now = view.classes.filter(proposed);
  if (dead(now) === 0) return view.complete ? say.nothing : say.nothingSure;
  const said = allocated(now) === 0 ? say.goEmpty(named(dead(now))) : say.go(named(dead(now)), bytes(allocated(now)));
  return view.complete ? said : say.atLeast(said);
}

/** Why, and what else there is. */
export function lead(view: LeftoversView): string {
  const say = words.leftovers.headline;
  const now = view.classes.filter(proposed);
  const ask = view.classes.filter((group) => group.tier === 'ask' && whole(group));
  const choice = dead(ask) === 0 ? null : allocated(ask) === 0 ? say.choiceEmpty(named(dead(ask))) : say.choice(named(dead(ask)), bytes(allocated(ask)));
  if (dead(now) > 0) {
    const memory = allocated(now.filter((group) => group.memory));
    return [say.goWhy, ...(memory > 0 ? [say.memory(bytes(memory))] : []), ...(choice === null ? [] : [choice])].reduce(words.then);
  }
  if (choice !== null) return say.onlyChoice(named(dead(ask)), bytes(allocated(ask)));
  const there = count(view.classes);
  if (there > 0) return say.kept(named(there), there);
  return view.complete ? say.none : say.nonePart;
}

/** What can go without being asked for, in bytes; for the side. */
export const canGo = (view: LeftoversView) => allocated(view.classes.filter(proposed));

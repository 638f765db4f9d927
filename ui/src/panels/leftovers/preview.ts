// What a clean-up will do, in one sentence and on its button.

import type { CleanPart } from '../../bindings/CleanPart';
import type { CleanPreview } from '../../bindings/CleanPreview';
import type { ReasonCount } from '../../bindings/ReasonCount';
import { amount, counted } from '../../format';
import { words } from '../../words';
import { named } from './headline';

const bytes = (value: number) => amount(value, true);
const sum = (parts: readonly CleanPart[], parks: boolean) => parts.reduce((sum, part) => (part.parks === parks ? sum + part.count : sum), 0);

/** The sentence above everything. */
export function title(preview: CleanPreview): string {
  const say = words.leftovers.preview;
  const [removed, parked] = [sum(preview.parts, false), sum(preview.parts, true)];
  if (preview.refusals.length > 0) return say.titleRefused;
  if (preview.count === 0) return say.titleNothing;
  if (parked === 0) return preview.frees === 0 ? say.titleRemoveEmpty(named(removed)) : say.titleRemove(named(removed), bytes(preview.frees));
  return removed === 0 ? say.titlePark(named(parked)) : say.titleBoth(named(removed), counted(parked), removed, bytes(preview.frees));
}

/** The act by its name. */
export function button(preview: CleanPreview, forGood: boolean): string {
  const say = words.leftovers.preview.button;
  const [removed, parked] = [sum(preview.parts, false), sum(preview.parts, true)];
  if (forGood) return say.forGood(named(removed));
  if (parked === 0) return say.remove(named(removed));
  return removed === 0 ? say.park(named(parked)) : say.both(named(removed), counted(parked));
}

/** Why some stay, over all parts. */
export function stays(parts: readonly CleanPart[]): ReasonCount[] {
  const counts = new Map<string, number>();
  for (const { kept } of parts) for (const { reason, count } of kept) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

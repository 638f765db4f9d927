// A clean-up that ended, judged: how good it is, and what came of it in one sentence.

import type { CleanReceipt } from '../../bindings/CleanReceipt';
import type { Verdict } from '../../bindings/Verdict';
import { amount, grouped } from '../../format';
import { words } from '../../words';
import { named } from './headline';

/** Good unless the system refused something, or nothing went at all. */
export function verdict({ failed, more_failed, removed, cancelled }: CleanReceipt): Verdict {
  return failed.length + more_failed > 0 || (removed === 0 && !cancelled) ? 'low' : 'ok';
}

/** Whole candidates that were moved aside; the rest of what went was removed. */
export const parked = ({ parts }: CleanReceipt) =>
  parts.reduce(({ count, allocated }, part) => (part.parks ? { count: count + part.count, allocated: allocated + part.allocated } : { count, allocated }), { count: 0, allocated: 0 });

/** The headline: what came of it. */
export function title(receipt: CleanReceipt): string {
  const say = words.leftovers.receipt;
  const aside = parked(receipt).count;
  const removed = Math.max(0, receipt.removed - aside);
  if (receipt.cancelled) return receipt.removed === 0 ? say.stoppedNothing : say.stopped(named(receipt.removed));
  if (receipt.removed === 0) return say.nothing;
  if (removed === 0) return say.parkedOnly(named(aside), aside);
  if ((receipt.freed_measured ?? 0) > 0) return say.freed(amount(receipt.freed_measured ?? 0, true), named(removed));
  return say.done(named(removed), removed);
}

/** The measured gain in words; an unknown one is none. */
export function gain({ freed_measured: freed }: CleanReceipt): string {
  const say = words.leftovers.receipt;
  if (freed === null) return say.unknown;
  if (freed === 0) return say.zero;
  return freed > 0 ? amount(freed, true) : say.less(amount(-freed, true));
}

/** The same for the number of files; none where the disk has no such limit. */
export function room({ inodes_freed: freed }: CleanReceipt): string | null {
  const say = words.leftovers.receipt;
  if (freed === null || freed === 0) return null;
  return freed > 0 ? say.inodesGain(grouped(freed)) : say.inodesLess(grouped(-freed));
}

// A receipt, judged: how good it is, and its measured facts as words.

import type { ActReceipt } from '../../bindings/ActReceipt';
import type { SessionsReport } from '../../bindings/SessionsReport';
import type { Verdict } from '../../bindings/Verdict';
import { grouped } from '../../format';
import { words } from '../../words';

/** It moved or removed what it was to. */
export const well = ({ end }: ActReceipt) => end === 'done';

/** Good only where the act is done and nothing after it went wrong. */
export function verdict({ end, rebuild, sessions }: ActReceipt): Verdict {
  if (end === 'interrupted' || (sessions?.missing.length ?? 0) > 0) return 'critical';
  if (end !== 'done' || rebuild?.state === 'failed' || rebuild?.state === 'looping' || (sessions?.differing.length ?? 0) > 0) return 'low';
  return 'ok';
}

/** The headline: what came of it. */
export function title({ end, kind, outcome, rebuild }: ActReceipt): string {
  const say = words.act;
  if (end === 'done' && (rebuild?.state === 'failed' || rebuild?.state === 'looping')) return say.rebuild[rebuild.state];
  return end === 'done' && outcome !== '' && outcome.length <= 90 ? outcome.replace(/\.$/, '') : say.ended[end][kind];
}

/** What was left as it was, where something was. */
export function left({ end, kind }: ActReceipt): string | null {
  if (end === 'done') return null;
  return kind === 'trash' || kind === 'remove' ? words.act.leftParked[end] : words.act.left[end];
}

/** What became of chats, tasks and projects, the worst first. */
export function compared(report: SessionsReport): { text: string; bad: boolean }[] {
  const say = words.act.facts;
  const count = grouped(report.count);
  const facts: { text: string; bad: boolean }[] = [];
  if (report.missing.length > 0) facts.push({ text: say.missing(grouped(report.missing.length), report.missing.length, count), bad: true });
  if (report.differing.length > 0) facts.push({ text: say.differ(grouped(report.differing.length), count), bad: true });
  else facts.push({ text: (report.untouched ? say.compared : say.comparedPartly)(count, report.count), bad: false });
  if (report.changed_by_app > 0) facts.push({ text: say.byApp(grouped(report.changed_by_app), report.changed_by_app), bad: false });
  return facts;
}

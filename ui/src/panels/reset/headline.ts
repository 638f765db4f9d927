// "So what?" for a reset, in one sentence.

import type { ResetView } from '../../bindings/ResetView';
import type { Status } from '../../bindings/Status';
import { sentence } from '../../format';
import { words } from '../../words';

/** The part of a gauge's id that names the bundle. */
export const token = (id: string) => id.slice(id.indexOf(':') + 1);

/** What is wrong and what new disks would change. */
export function headline(view: ResetView, status: Status): string {
  const say = words.reset.headline;
  const kinds = { sessions_full: ['guest_sessions'], system_full: ['guest_system'], both_full: ['guest_sessions', 'guest_system'], unreadable: [], neither_full: [] }[view.why];
  const full = (kind: string) => status.gauges.some((gauge) => gauge.full && gauge.kind.startsWith(kind) && token(gauge.id) === view.bundle);
  const said = kinds.every(full) ? say.full : say.filling;
  return said[view.why];
}

/** Why, where no scope says it itself; and the promise. */
export function lead(view: ResetView, shown: boolean): string {
  const reason = sentence(view.reason);
  if (view.recommended === null) return words.then(reason, words.reset.elsewhere);
  return shown ? words.reset.lead : words.then(reason, words.reset.lead);
}

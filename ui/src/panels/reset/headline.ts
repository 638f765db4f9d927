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
  const own = status.gauges.filter(({ id, kind }) => kind.startsWith('guest_') && token(id) === view.bundle);
  const full = { sessions_full: 'guest_sessions', system_full: 'guest_system', both_full: 'guest_', unreadable: '', neither_full: '' }[view.why];
  const said = own.some((gauge) => gauge.full && gauge.kind.startsWith(full)) ? say.full : say.filling;
  return said[view.why];
}

/** Why, and the promise. */
export function lead(view: ResetView): string {
  const reason = sentence(view.reason);
  // What is recommended says its own reason where it is chosen.
  return view.recommended === null ? words.then(reason, words.reset.elsewhere) : words.reset.lead;
}

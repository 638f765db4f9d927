// What this window shows, as far as the user chose it: panel, time span, lines. Nothing about the
// machine. Kept between openings where the web view can; losing it loses nothing.

import type { DiskId } from '../bindings/DiskId';
import type { GaugeId } from '../bindings/GaugeId';
import type { Lead } from '../bindings/Lead';
import type { Range } from '../bindings/Range';

export const PANELS = ['overview', 'inside', 'leftovers', 'reset', 'activity', 'settings'] as const;
export type Panel = (typeof PANELS)[number];

export const RANGES: readonly Range[] = ['1h', '24h', '7d', '30d', '1y'];

const KEY = 'sandtray-view-1';

/** The user's choices. */
export class View {
  panel = $state<Panel>('overview');
  range = $state<Range>('7d');
  /** Lines the user chose; null while they chose none, and the window picks. */
  lines = $state.raw<readonly GaugeId[] | null>(null);
  /** The one gauge that is looked at, from a card or a notification. */
  focus = $state<GaugeId | null>(null);
  /** The guest's disk that the Inside panel shows; null while none was chosen, and the window picks. */
  disk = $state<DiskId | null>(null);
  /** The bundle that the Reset panel is about; null while none was chosen, and the window picks. */
  bundle = $state<string | null>(null);
  /** Counts the times a gauge was asked for, so that asking twice scrolls twice. */
  asked = $state(0);

  constructor() {
    const { range, lines } = load();
    if (RANGES.includes(range as Range)) this.range = range as Range;
    if (Array.isArray(lines)) this.lines = lines.filter((id) => typeof id === 'string');
  }

  /** Switches the time span. */
  span(range: Range): void {
    this.range = range;
    this.#save();
  }

  /** Shows or hides a line, starting from what is shown now. */
  toggle(id: GaugeId, shown: readonly GaugeId[]): void {
    this.focus = null;
    this.lines = shown.includes(id) ? shown.filter((other) => other !== id) : [...shown, id];
    this.#save();
  }

  /** Looks at one gauge, or at all again. */
  look(id: GaugeId | null): void {
    this.focus = id;
  }

  /** Goes where a click in the tray or on a notification leads. */
  lead(lead: Lead): void {
    this.asked += 1;
    if (lead.to === 'gauge') {
      this.panel = 'overview';
      this.focus = lead.id;
    } else if (PANELS.includes(lead.to as Panel)) {
      this.panel = lead.to as Panel;
    }
  }

  /** Opens the inside of a disk. */
  into(disk: DiskId): void {
    this.panel = 'inside';
    this.disk = disk;
  }

  /** Opens the preview of a reset. */
  reset(bundle: string | null): void {
    this.panel = 'reset';
    this.bundle = bundle;
  }

  #save(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify({ range: this.range, lines: this.lines }));
    } catch {
      // A web view without storage (private mode, full disk): the choice lasts as long as the window.
    }
  }
}

function load(): { range?: unknown; lines?: unknown } {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return kept !== null && typeof kept === 'object' ? kept : {};
  } catch {
    return {};
  }
}

// Draws a plan with uPlot. Loaded after the first paint: a window that opens must show its sentence
// at once, the chart may come a moment later.
//
// uPlot draws axes and solid lines; bands, forecasts, limits and marks are drawn here on the same
// canvas, because they are not columns of data.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { Time } from '../bindings/Time';
import type { Unit } from '../bindings/Unit';
import { amount, clock, date, groupedTick, month, tick } from '../format';
import { words } from '../words';
import { type Ahead, type Cell, type Plan, valueAhead } from './plan';

/** Where the pointer or the arrow keys are. */
export interface Cursor {
  /** Column of the nearest measurement. */
  column: number;
  /** The moment itself; after the plan's `to` it lies in the forecast. */
  at: Time;
  /** Distance from the left edge of the chart, in pixels. */
  left: number;
}

/** A chart on the screen. */
export interface Drawing {
  update(plan: Plan): void;
  resize(width: number, height: number): void;
  /** Colours of the theme changed. */
  recolor(): void;
  /** Brings one line to the front, or none. */
  stress(id: string | null): void;
  /** Moves the reading line to a column. */
  read(column: number | null): void;
  destroy(): void;
}

const DAY = 86_400;

/** Distances between labels: whole bytes and whole entries, in steps a person counts in. */
const STEPS = Array.from({ length: 19 }, (_, power) => 10 ** power).flatMap((unit) => (unit === 1 ? [1, 2, 5] : [unit, 2 * unit, 2.5 * unit, 5 * unit]));

/** Puts a chart into `target`. */
export function draw(target: HTMLElement, first: Plan, onCursor: (cursor: Cursor | null) => void): Drawing {
  let current = first;
  let paint = colors(target);
  let size = { width: target.clientWidth || 600, height: target.clientHeight || 220 };
  let chart = build();

  function build(): uPlot {
    const made = new uPlot(options(), data(current), target);
    // What is drawn is said by the table; a screen reader gains nothing from a canvas.
    made.root.setAttribute('aria-hidden', 'true');
    return made;
  }

  function options(): uPlot.Options {
    const units = Object.keys(current.scales) as Unit[];
    const left = units[0];
    return {
      ...size,
      padding: [14, units.length > 1 ? 0 : 12, 0, 0],
      legend: { show: false },
      focus: { alpha: 0.25 },
      cursor: {
        drag: { x: false, y: false },
        y: false,
        points: { size: 7, width: 2, stroke: (_, at) => stroke(at - 1), fill: () => paint.surface },
      },
      scales: {
        x: { time: true, range: () => [current.from, current.end] },
        bytes: { range: () => current.scales.bytes ?? [0, 1] },
        entries: { range: () => current.scales.entries ?? [0, 1] },
      },
      axes: [
        axis({ values: (_, splits, __, ___, step) => splits.map((at) => label(at, step)), space: 76, size: 26 }),
        ...units.map((unit) =>
          axis({
            scale: unit,
            side: unit === left ? 3 : 1,
            size: unit === 'bytes' ? 58 : 52,
            space: 38,
            incrs: STEPS,
            values: (_, splits) => splits.map((value) => (unit === 'bytes' ? tick(value) : groupedTick(value))),
            ...(unit === left ? {} : { grid: { show: false } }),
          }),
        ),
      ],
      series: [
        {},
        ...current.lines.map((line, at) => ({
          scale: line.unit,
          label: line.name,
          stroke: () => stroke(at),
          width: 2,
          // A measurement between two holes has no line; it is drawn as a point.
          points: { show: false, size: 4, fill: () => stroke(at), filter: () => alone(line.last) },
        })),
      ],
      hooks: {
        drawAxes: [(u) => behind(u)],
        draw: [(u) => before(u)],
        setCursor: [(u) => onCursor(cursor(u))],
      },
    };
  }

  function axis(own: uPlot.Axis): uPlot.Axis {
    return {
      font: `11.5px ${paint.font}`,
      stroke: () => paint.muted,
      grid: { stroke: () => paint.line, width: 1 },
      ticks: { show: false },
      gap: 6,
      ...own,
    };
  }

  const stroke = (at: number) => paint.series[current.lines[at]?.color ?? 0] ?? paint.muted;

  function cursor(u: uPlot): Cursor | null {
    const { idx, left } = u.cursor;
    if (idx === null || idx === undefined || left === undefined || left < 0) return null;
    return { column: idx, at: u.posToVal(left, 'x'), left: left + u.over.offsetLeft };
  }

  /** Spread of each span, bands of forecasts: soft, behind the lines. */
  function behind(u: uPlot): void {
    clipped(u, (canvas) => {
      for (const line of current.lines) {
        if (line.spread === null) continue;
        canvas.fillStyle = faint(paint.series[line.color] ?? paint.muted, 0.2);
        for (const [from, to] of runs(line.spread.low)) {
          canvas.beginPath();
          for (let at = from; at <= to; at += 1) corner(u, canvas, line.unit, current.at[at], line.spread.high[at]);
          for (let at = to; at >= from; at -= 1) corner(u, canvas, line.unit, current.at[at], line.spread.low[at]);
          canvas.fill();
        }
      }
      for (const ahead of current.ahead) {
        canvas.fillStyle = faint(paint.series[ahead.color] ?? paint.muted, 0.16);
        canvas.beginPath();
        corner(u, canvas, ahead.unit, ahead.from.at, ahead.from.value);
        // Where an edge meets the top it goes on level: full is full.
        for (const at of steps(ahead.earliest)) corner(u, canvas, ahead.unit, at, valueAhead(ahead, ahead.earliest, at));
        for (const at of steps(ahead.latest).reverse()) corner(u, canvas, ahead.unit, at, valueAhead(ahead, ahead.latest, at));
        canvas.fill();
      }
    });
  }

  /** The corner points of an edge that is full at `fullAt`, inside the picture. */
  const steps = (fullAt: Time | null): Time[] =>
    fullAt !== null && fullAt < current.end ? [fullAt, current.end] : [current.end];

  /** Forecasts, the full line, marks: thin, before the lines. */
  function before(u: uPlot): void {
    const ratio = uPlot.pxRatio;
    clipped(u, (canvas) => {
      for (const ahead of current.ahead) dashed(u, canvas, ahead, ratio);
      if (current.limit !== null) {
        const y = u.valToPos(current.limit.value, current.limit.unit, true);
        rule(canvas, u.bbox.left, y, u.bbox.left + u.bbox.width, y, [2, 4], ratio);
        text(canvas, words.chart.full(amount(current.limit.value, current.limit.unit === 'bytes')), u.bbox.left + 6 * ratio, y + 13 * ratio, ratio);
      }
      if (current.ahead.length > 0) {
        const x = u.valToPos(current.to, 'x', true);
        rule(canvas, x, u.bbox.top, x, u.bbox.top + u.bbox.height, [1, 3], ratio);
      }
    });
    marks(u, ratio);
  }

  function dashed(u: uPlot, canvas: CanvasRenderingContext2D, ahead: Ahead, ratio: number): void {
    canvas.strokeStyle = paint.series[ahead.color] ?? paint.muted;
    canvas.lineWidth = 2 * ratio;
    canvas.setLineDash([5 * ratio, 4 * ratio]);
    canvas.beginPath();
    corner(u, canvas, ahead.unit, ahead.from.at, ahead.from.value);
    for (const at of steps(ahead.likely)) corner(u, canvas, ahead.unit, at, valueAhead(ahead, ahead.likely, at));
    canvas.stroke();
    canvas.setLineDash([]);
  }

  /** A mark keeps its line where another stands close; only the words of the second are left out. */
  function marks(u: uPlot, ratio: number): void {
    const canvas = u.ctx;
    canvas.save();
    let free = -Infinity;
    for (const mark of current.marks) {
      const x = u.valToPos(mark.at, 'x', true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      rule(canvas, x, u.bbox.top, x, u.bbox.top + u.bbox.height, [2, 3], ratio);
      const what = words.chart.mark[mark.kind];
      const said = current.lines.length > 1 ? words.chart.markOf(mark.name, what) : what;
      canvas.font = `${11 * ratio}px ${paint.font}`;
      const width = canvas.measureText(said).width;
      const right = u.bbox.left + u.bbox.width;
      const left = x + width + 6 * ratio > right ? x - width - 5 * ratio : x + 5 * ratio;
      if (left < free) continue;
      text(canvas, said, left, u.bbox.top - 3 * ratio, ratio);
      free = left + width + 8 * ratio;
    }
    canvas.restore();
  }

  function rule(canvas: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number, dash: number[], ratio: number): void {
    canvas.strokeStyle = paint.muted;
    canvas.lineWidth = ratio;
    canvas.setLineDash(dash.map((part) => part * ratio));
    canvas.beginPath();
    canvas.moveTo(x, y);
    canvas.lineTo(toX, toY);
    canvas.stroke();
    canvas.setLineDash([]);
  }

  function text(canvas: CanvasRenderingContext2D, said: string, x: number, y: number, ratio: number): void {
    canvas.font = `${11 * ratio}px ${paint.font}`;
    canvas.fillStyle = paint.muted;
    canvas.textAlign = 'left';
    canvas.textBaseline = 'alphabetic';
    canvas.fillText(said, x, y);
  }

  return {
    update(next) {
      const same =
        next.lines.length === current.lines.length &&
        next.lines.every((line, at) => line.id === current.lines[at]?.id && line.unit === current.lines[at]?.unit);
      current = next;
      if (same) {
        chart.setData(data(current));
      } else {
        chart.destroy();
        onCursor(null);
        chart = build();
      }
    },
    resize(width, height) {
      if (width === size.width && height === size.height) return;
      size = { width, height };
      chart.setSize(size);
    },
    recolor() {
      paint = colors(target);
      chart.redraw(false, true);
    },
    stress(id) {
      const at = current.lines.findIndex((line) => line.id === id);
      chart.setSeries(at < 0 ? null : at + 1, { focus: true });
    },
    read(column) {
      if (column === null) {
        chart.setCursor({ left: -10, top: -10 });
        return;
      }
      const at = current.at[column];
      if (at !== undefined) chart.setCursor({ left: chart.valToPos(at, 'x'), top: 10 });
    },
    destroy() {
      chart.destroy();
    },
  };
}

function data(plan: Plan): uPlot.AlignedData {
  return [plan.at, ...plan.lines.map((line) => line.last)];
}

/** Hours within days, days within months, months in a year. */
function label(at: Time, step: number): string {
  if (step < DAY) return clock(at) === '00:00' ? date(at) : clock(at);
  return step < 28 * DAY ? date(at) : month(at);
}

/** Columns whose neighbours on both sides are holes. */
function alone(cells: readonly Cell[]): number[] {
  return runs(cells).flatMap(([from, to]) => (from === to ? [from] : []));
}

/** Stretches of columns without a hole, first and last column that has a number. */
function runs(cells: readonly Cell[]): [number, number][] {
  const out: [number, number][] = [];
  let from = -1;
  let to = -1;
  cells.forEach((cell, at) => {
    if (typeof cell === 'number') {
      if (from < 0) from = at;
      to = at;
    } else if (cell === null && from >= 0) {
      out.push([from, to]);
      from = -1;
    }
  });
  if (from >= 0) out.push([from, to]);
  return out;
}

function corner(u: uPlot, canvas: CanvasRenderingContext2D, unit: Unit, at: Time | undefined, value: Cell): void {
  if (at === undefined || value === null || value === undefined) return;
  canvas.lineTo(u.valToPos(at, 'x', true), u.valToPos(value, unit, true));
}

/** Draws inside the plot only. */
function clipped(u: uPlot, then: (canvas: CanvasRenderingContext2D) => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  then(u.ctx);
  u.ctx.restore();
}

/** The theme's colours as the canvas needs them. */
interface Paint {
  series: string[];
  muted: string;
  line: string;
  surface: string;
  font: string;
}

function colors(target: HTMLElement): Paint {
  const style = getComputedStyle(target);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    series: Array.from({ length: 8 }, (_, at) => token(`--s${at + 1}`)),
    muted: token('--muted'),
    line: token('--line'),
    surface: token('--surface'),
    font: style.fontFamily,
  };
}

/** A colour of the palette, thinned. The palette is written as `#rrggbb`. */
function faint(color: string, alpha: number): string {
  return color + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

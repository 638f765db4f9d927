// Words stand in one place, all of them, and each thing Rust can name has one.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'svelte/compiler';
import { expect, test } from 'vitest';

import { en } from './en';

const SRC = join(import.meta.dirname, '..');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));

/** The tokens of an enum as generated from Rust. */
function tokens(name: string): string[] {
  const text = readFileSync(join(SRC, 'bindings', `${name}.ts`), 'utf8');
  const union = text.slice(text.indexOf('export type'));
  return [...union.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '').sort();
}

test.each([
  ['Verdict', en.verdict],
  ['Cause', en.cause],
  ['UnknownReason', en.reason],
  ['NoForecast', en.forecast.none],
  ['GaugeKind', en.gauge.unit],
  ['FaultKind', en.faults.kind],
  ['Range', en.chart.range],
  ['Range', en.chart.rangeLong],
  ['EventKind', en.chart.mark],
  ['Profile', en.bundles.profile],
  ['Role', en.bundles.roles],
  ['RootWhy', en.roots.why],
  ['Owner', en.roots.owner],
  ['FolderKind', en.settings.kinds],
  ['EntryKind', en.inside.table.kind],
  ['SkipReason', en.inside.receipt.skip],
  ['Profile', en.inside.bundle],
  ['Tier', en.leftovers.tier],
  ['Standing', en.leftovers.list.standing],
  ['Scope', en.reset.scopes.name],
  ['ScopeReason', en.reset.headline.full],
  ['ScopeReason', en.reset.headline.filling],
  ['ActKind', en.act.doing],
  ['ActKind', en.act.did],
  ['ActStep', en.act.step],
  ['ActEnd', en.act.ended],
  ['ActEnd', en.act.left],
  ['GaugeKind', en.act.facts.fill],
  ['CopyState', en.activity.copies.state],
  ['EntryState', en.activity.receipts.state],
  ['ParkedState', en.activity.asides.state],
])('every %s has its words', (name, words) => expect(Object.keys(words).sort()).toEqual(tokens(name)));

test('no word is empty', () => {
  const empty: string[] = [];
  const look = (value: unknown, path: string) => {
    if (typeof value === 'string' && value.trim() === '') empty.push(path);
    if (value !== null && typeof value === 'object') for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`);
  };
  look(en, 'en');
  expect(empty).toEqual([]);
});

/** Attributes a person reads or hears. */
const SPOKEN = new Set(['title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt', 'label']);

test('no component holds a word of its own', () => {
  const found: string[] = [];
  for (const name of sources.filter((name) => name.endsWith('.svelte'))) {
    const tree = parse(readFileSync(join(SRC, name), 'utf8'), { modern: true });
    const look = (node: unknown, spoken: boolean) => {
      if (Array.isArray(node)) for (const inner of node) look(inner, spoken);
      if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
      const { type, name: tag, data } = node as { type?: string; name?: string; data?: string };
      if (type === 'Text' && spoken && /\p{L}/u.test(data ?? '')) found.push(`${name}: ${data?.trim()}`);
      if (type === 'Comment') return;
      const inside = type === 'Attribute' ? SPOKEN.has(tag ?? '') : true;
      for (const [key, inner] of Object.entries(node)) if (key !== 'parent') look(inner, inside);
    };
    look(tree.fragment, true);
  }
  expect(found).toEqual([]);
});

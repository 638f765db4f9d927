// Opens every state in a real browser, in both themes and at the sizes we promise, checks what can
// be checked by measuring, and writes a picture of each for a person to look at.
//
//   npm run pictures                          only checks
//   npm run pictures -- FOLDER [scenario…]    and writes the pictures
//   PICTURES=few npm run pictures             those that differ most, as `cargo xtask test` does: two minutes, not ten
//
// Chromium stands in for the web views here: states and layout in bulk. The real window is driven by
// the tests of the whole app.

import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';

import { chromium } from 'playwright-core';
import { build, preview } from 'vite';

import { resetActs } from './pictures-acts.mjs';
import { insideActs } from './pictures-inside.mjs';
import { leftoversActs } from './pictures-leftovers.mjs';

const [folder, ...only] = process.argv.slice(2);
const FEW = process.env.PICTURES === 'few';
const some = (all, few) => (FEW ? few : all);
if (folder !== undefined) await mkdir(folder, { recursive: true });

const SCENARIOS = some(['fine', 'low', 'critical', 'first', 'nothing', 'unknown', 'huge', 'faults', 'bundles', 'snoozed', 'again', 'hostFull', 'demo', 'emptied', 'many', 'damaged', 'broken'], ['low', 'hostFull', 'nothing', 'huge', 'faults', 'damaged']);
// Machines on which something is to be moved, is being moved, or was.
const ACTS = some(['both', 'tight', 'orphan', 'which', 'unreadHomes', 'longNames', 'resetBroken', 'quitting', 'downloading', 'watchWaiting', 'ready', 'waiting', 'rolledBack', 'failedRebuild', 'refusedEnd', 'interrupted', 'cutOff', 'parkedOne', 'parkedMany'], ['orphan', 'longNames', 'downloading', 'ready', 'interrupted', 'parkedMany']);
// Machines that differ in what agents left on them.
const LEFT = some(['leftLooking', 'leftNothing', 'leftEmpty', 'leftKept', 'leftChoice', 'leftMany', 'leftOdd', 'leftMemory', 'leftPart', 'leftBroken', 'leftCleaning', 'leftDone', 'leftPartly', 'leftParked', 'leftOnlyParked', 'leftStopped', 'leftWrote', 'leftUntouched', 'leftScheduled', 'leftHuge'], ['leftOdd', 'leftPart', 'leftCleaning', 'leftPartly']);
// Machines on which leftovers were moved aside.
const ASIDE = some(['asideOne', 'asideMany', 'asideBroken'], ['asideMany']);
// Panels beside the overview, and the scenarios in which they differ.
const PANELS = [
  { name: 'inside', scenarios: ['low', 'first', 'nothing', 'unknown', 'bundles', 'emptied', 'many', 'damaged', 'broken'] },
  { name: 'leftovers', scenarios: ['low', 'broken', ...LEFT] },
  { name: 'reset', scenarios: ['fine', 'low', 'nothing', 'unknown', 'bundles', ...ACTS.filter((name) => !name.startsWith('parked'))] },
  { name: 'activity', scenarios: ['low', 'resetBroken', 'downloading', 'interrupted', 'cutOff', 'parkedOne', 'parkedMany', ...ASIDE] },
  { name: 'settings', scenarios: ['low', 'huge', 'asideMany', 'broken'] },
];
// On these the overview shows nothing of its own.
const ELSEWHERE = ['emptied', 'many', 'damaged', ...LEFT, ...ASIDE, ...ACTS.filter((name) => !['downloading', 'cutOff'].includes(name))];
const LAYOUTS = [
  { name: '1000x700', width: 1000, height: 700, scale: 1 },
  { name: '720x520', width: 720, height: 520, scale: 1 },
  // Zoom of the web view: half the CSS pixels, each twice as large.
  { name: '720x520-zoom200', width: 360, height: 260, scale: 2 },
];
const THEMES = ['light', 'dark'];

// As strict as the app's own policy: no inline style or script, nothing from anywhere else.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'";

let opened = 0;
const problems = [];
const fail = (where, what) => {
  problems.push(`${where}: ${what}`);
  console.error(`  ${where}: ${what}`);
};

await build({ mode: 'mock', logLevel: 'warn', build: { outDir: 'dist-mock', emptyOutDir: true } });
const server = await preview({
  logLevel: 'warn',
  build: { outDir: 'dist-mock' },
  preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': POLICY } },
});
const address = `http://127.0.0.1:${server.httpServer.address().port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** Opens one state and waits until nothing moves any more. */
async function open(scenario, layout, theme, words = '') {
  const context = await browser.newContext({
    viewport: { width: layout.width, height: layout.height },
    deviceScaleFactor: layout.scale,
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  opened += 1;
  // As the app does: nothing of ours may lean on a changed prototype.
  await page.addInitScript(() => Object.freeze(Object.prototype));
  // Browsers ask for an icon by themselves; a web view does not.
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  const where = [scenario, layout.name, theme, words].filter(Boolean).join(' ');
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) fail(where, `console: ${message.text()}`);
  });
  page.on('pageerror', (error) => fail(where, `thrown: ${error.message}`));
  await page.goto(`${address}?scenario=${scenario}${words && `&words=${words}`}`);
  await page.locator('h1').first().waitFor();
  if (await page.locator('.frame').count()) await page.locator('canvas').first().waitFor();
  await settle(page);
  return { page, where, close: () => context.close() };
}

const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/** Leads to a panel, and waits until it is drawn. */
async function go(page, panel) {
  await page.locator(`header nav button[data-panel="${panel}"]`).click();
  await page.waitForTimeout(30);
  await settle(page);
}

/** Nothing is wider than the window, no words are cut by their box, nothing lies on something else. */
async function measure(page, where) {
  const found = await page.evaluate(() => {
    const out = [];
    const root = document.scrollingElement;
    if (root.scrollWidth > root.clientWidth) out.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
    const main = document.querySelector('main');
    if (main.scrollWidth > main.clientWidth) out.push(`the panel is ${main.scrollWidth} wide in ${main.clientWidth}`);
    for (const box of document.querySelectorAll('main .card, main section, main button, header, header button, main li')) {
      if (box.closest('.visually-hidden')) continue;
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== 'inline' && getComputedStyle(box).overflowX === 'visible') {
        out.push(`${box.tagName.toLowerCase()}.${box.className} holds ${box.scrollWidth} in ${box.clientWidth}: ${box.textContent.trim().slice(0, 40)}`);
      }
    }
    return out;
  });
  for (const what of found) fail(where, what);
}

/** Words against what is painted behind them, 4.5:1; large ones 3:1. */
async function contrast(page, where) {
  const found = await page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const parse = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
    const light = (color) => {
      const [r, g, b] = color.map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const out = [];
    let least = 21;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const box = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || box.closest('.visually-hidden, script, option') || box.getClientRects().length === 0) continue;
      if (box.closest('button')?.disabled) continue;
      const style = getComputedStyle(box);
      const stack = [];
      let opacity = 1;
      for (let at = box; at; at = at.parentElement) {
        stack.push(parse(getComputedStyle(at).backgroundColor));
        opacity *= Number(getComputedStyle(at).opacity);
      }
      const behind = stack.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
      const ink = parse(box instanceof SVGElement ? style.fill : style.color);
      const front = over([ink[0], ink[1], ink[2], ink[3] * opacity], behind);
      const [a, b] = [light(front), light(behind)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      least = Math.min(least, ratio);
      if (ratio < (large ? 3 : 4.5)) out.push(`${ratio.toFixed(2)}:1 for “${walker.currentNode.textContent.trim().slice(0, 30)}”`);
    }
    return { out: [...new Set(out)], least };
  });
  for (const what of found.out) fail(where, `contrast ${what}`);
  return found.least;
}

/** Lines of the chart against the card, 3:1. */
async function palette(page, where) {
  const found = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const light = (hex) => {
      const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const token = (name) => style.getPropertyValue(name).trim();
    const surface = light(token('--surface'));
    return ['--s1', '--s2', '--s3', '--s4', '--s5', '--s6', '--s7', '--s8', '--ok', '--low', '--critical', '--unknown'].flatMap((name) => {
      const [a, b] = [light(token(name)), surface].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      return ratio < 3 ? [`${name} is ${ratio.toFixed(2)}:1`] : [];
    });
  });
  for (const what of found) fail(where, what);
}

/** Tab reaches everything that can be pressed, in the order of the page, and shows where it is. */
async function keyboard(page, where) {
  const wanted = await page.evaluate(() => {
    const stops = [...document.querySelectorAll('button, input, summary, [tabindex="0"]')].filter(
      // What arrow keys reach inside a group is no stop of its own, and what is folded away is none.
      (stop) => !stop.disabled && !(stop.matches('summary') ? stop.parentElement.parentElement : stop).closest('details:not([open])') && stop.tabIndex >= 0 && (stop.getClientRects().length > 0 || stop.type === 'radio') && !(stop.type === 'radio' && !stop.checked),
    );
    stops.forEach((stop, at) => (stop.dataset.stop = String(at)));
    document.activeElement?.blur();
    return stops.length;
  });
  const reached = [];
  for (let press = 0; press < wanted + 3 && reached.length < wanted; press += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const here = document.activeElement;
      if (here === document.body || here?.dataset.stop === undefined) return null;
      const seen = [here, here.parentElement].some((box) => ['', '::after'].some((part) => {
        const style = getComputedStyle(box, part || undefined);
        return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
      }));
      return { stop: Number(here.dataset.stop), seen, name: here.getAttribute('aria-label') ?? here.textContent.trim().slice(0, 30) };
    });
    if (at === null) continue;
    if (!at.seen) fail(where, `focus cannot be seen on “${at.name}”`);
    reached.push(at.stop);
  }
  if (new Set(reached).size < wanted) {
    const missed = await page.evaluate((reached) => [...document.querySelectorAll('[data-stop]')].filter((stop) => !reached.includes(Number(stop.dataset.stop))).map((stop) => stop.outerHTML.slice(0, 80)), reached);
    fail(where, `Tab reaches ${new Set(reached).size} of ${wanted}, not ${missed.join(', ')}`);
  }
  // Tab begins where the last press was and goes round once.
  const jumps = reached.filter((stop, at) => at > 0 && stop < reached[at - 1]).length;
  if (jumps > (reached[0] === 0 ? 0 : 1)) fail(where, `Tab jumps: ${reached.join(' ')}`);
}

/** Everything that can be pressed has a name, every image too, ids are there once, headings begin with one. */
async function names(page, where) {
  const found = await page.evaluate(() => {
    const out = [];
    for (const box of document.querySelectorAll('button, summary, input, [role="img"], [role="group"], progress')) {
      const label = box.getAttribute('aria-label') ?? (box.id ? document.querySelector(`label[for="${box.id}"]`)?.textContent : null) ?? box.closest('label')?.textContent ?? box.textContent;
      if (!label?.trim()) out.push(`no name: ${box.outerHTML.slice(0, 80)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((box) => box.id);
    for (const id of ids) if (ids.filter((other) => other === id).length > 1) out.push(`id twice: ${id}`);
    if (document.querySelectorAll('h1').length !== 1) out.push(`${document.querySelectorAll('h1').length} h1`);
    return [...new Set(out)];
  });
  for (const what of found) fail(where, what);
}

let least = 21;
let taken = 0;
const shoot = async (page, name) => {
  if (folder === undefined) return;
  await page.screenshot({ path: resolve(folder, `${name}.png`) });
  taken += 1;
};

/** Waits until a panel that nobody touches is still for two seconds; one that never is fails. */
async function rest(scenario, at) {
  const where = `${scenario} panel ${at} at rest`;
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, reducedMotion: 'no-preference' });
  const page = await context.newPage();
  opened += 1;
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  await page.addInitScript(() => {
    window.moved = { frames: 0, lines: 0, changes: [] };
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (then) => {
      window.moved.frames += 1;
      return ask(then);
    };
    const { stroke } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (...path) {
      window.moved.lines += 1;
      return stroke.apply(this, path);
    };
    addEventListener('DOMContentLoaded', () =>
      new MutationObserver((records) => {
        for (const { type, target } of records) window.moved.changes.push(`${type} of ${(target.nodeType === 3 ? target.parentElement : target)?.outerHTML.slice(0, 60)}`);
      }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }),
    );
  });
  await page.goto(`${address}?scenario=${scenario}&beat=0.5`);
  await page.locator('h1').first().waitFor();
  if (at > 0) await page.locator('header nav button').nth(at).click();
  let seen;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await page.evaluate(() => Object.assign(window.moved, { frames: 0, lines: 0, changes: [] }));
    await page.waitForTimeout(2000);
    seen = await page.evaluate(() => ({ ...window.moved, running: document.getAnimations().filter((one) => one.playState === 'running').map((one) => one.animationName ?? one.transitionProperty) }));
    if (seen.frames + seen.lines + seen.changes.length + seen.running.length === 0) break;
  }
  if (seen.running.length > 0) fail(where, `animations run: ${seen.running.join(', ')}`);
  if (seen.frames > 0) fail(where, `${seen.frames} frames asked for`);
  if (seen.lines > 0) fail(where, `${seen.lines} lines drawn`);
  if (seen.changes.length > 0) fail(where, `${seen.changes.length} changes, the first: ${seen.changes[0]}`);
  await context.close();
}

/** The whole panel in one picture, however long. */
async function whole(page, layout, name) {
  if (folder === undefined) return;
  const height = await page.evaluate(() => Math.max(document.scrollingElement.scrollHeight, document.querySelector('main').scrollHeight));
  await page.setViewportSize({ width: layout.width, height: Math.max(layout.height, height) });
  await settle(page);
  await shoot(page, name);
  await page.setViewportSize({ width: layout.width, height: layout.height });
}

/** Opens every panel of a scenario in one layout, in both themes and with long words. */
async function draw(scenario, layout) {
  // What differs between the acts is words: one of them in both themes.
  const acts = FEW && [...ACTS, ...LEFT].includes(scenario) && !['ready', 'leftOdd'].includes(scenario);
  for (const theme of acts ? THEMES.slice(0, 1) : THEMES) {
    const { page, where, close } = await open(scenario, layout, theme);
    if (!ELSEWHERE.includes(scenario)) {
      await shoot(page, `${scenario}-${layout.name}-${theme}`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((box) => (box.open = true)));
      await measure(page, where);
      least = Math.min(least, await contrast(page, where));
      await palette(page, where);
      await names(page, where);
      if (layout.name !== '720x520' && theme === 'light') await whole(page, layout, `${scenario}-${layout.name}-whole`);
      if (theme === 'light') await keyboard(page, where);
    }
    for (const panel of PANELS.filter(({ scenarios }) => scenarios.includes(scenario))) {
      const there = `${where} ${panel.name}`;
      await go(page, panel.name);
      await shoot(page, `${scenario}-${panel.name}-${layout.name}-${theme}`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((box) => (box.open = true)));
      await measure(page, there);
      least = Math.min(least, await contrast(page, there));
      await names(page, there);
      if (theme === 'light') {
        // Twenty thousand rows are no picture.
        if (scenario !== 'many' && !(panel.name === 'inside' && scenario === 'low')) await whole(page, layout, `${scenario}-${panel.name}-${layout.name}-whole`);
        await keyboard(page, there);
      }
    }
    await close();
  }
  const { page, where, close } = await open(scenario, layout, 'light', 'long');
  if (!ELSEWHERE.includes(scenario)) {
    await measure(page, where);
    await shoot(page, `${scenario}-${layout.name}-long`);
  }
  for (const panel of PANELS.filter(({ scenarios }) => scenarios.includes(scenario))) {
    await go(page, panel.name);
    await measure(page, `${where} ${panel.name}`);
    await shoot(page, `${scenario}-${panel.name}-${layout.name}-long`);
  }
  await close();
}

// A few at a time: each waits for frames more than it works.
const jobs = [...SCENARIOS, ...ACTS, ...LEFT, ...ASIDE].filter((name) => only.length === 0 || only.includes(name)).flatMap((scenario) => some(LAYOUTS, [LAYOUTS[0], LAYOUTS[2]]).map((layout) => [scenario, layout]));
const draws = async () => {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await draw(...job);
};
await Promise.all(Array.from({ length: 4 }, draws));

// At rest nothing moves: no animation, no frame asked for, no letter changed, no line drawn anew, while
// snapshots come that differ by what nobody sees.
const atRest = SCENARIOS.filter((name) => only.length === 0 || only.includes(name)).flatMap((scenario) =>
  // A reading that runs shows that it runs.
  [0, 1, 2, 3].filter((at) => !(scenario === 'first' && at === 1)).map((at) => [scenario, at]),
);
// A few at a time: each waits more than it works.
while (atRest.length > 0) await Promise.all(atRest.splice(0, 6).map(([scenario, at]) => rest(scenario, at)));

// States that are reached by doing something.
if (only.length === 0) {
  const layout = LAYOUTS[0];
  for (const theme of THEMES) {
    const { page, where, close } = await open('low', layout, theme);
    await page.locator('.frame').hover({ position: { x: 380, y: 90 } });
    await settle(page);
    await shoot(page, `act-hover-${theme}`);
    await page.locator('.frame').hover({ position: { x: 720, y: 60 } });
    await settle(page);
    await shoot(page, `act-hover-forecast-${theme}`);
    await page.mouse.move(5, 5);
    for (const [at, range] of ['1h', '24h', '7d', '30d', '1y'].entries()) {
      await page.locator('fieldset label').nth(at).click();
      await page.waitForTimeout(60);
      await settle(page);
      await shoot(page, `act-range-${range}-${theme}`);
    }
    await page.getByRole('button', { name: /^All \d+ lines$/ }).click();
    await page.getByRole('button', { name: 'Entries in /tmp', exact: true }).click();
    await settle(page);
    await shoot(page, `act-two-scales-${theme}`);
    await page.locator('[data-gauge]').first().click();
    await page.locator('fieldset label').nth(3).click();
    await page.waitForTimeout(60);
    await settle(page);
    await shoot(page, `act-one-gauge-${theme}`);
    await page.getByText('Show as table').click();
    await settle(page);
    await measure(page, `${where} table`);
    await shoot(page, `act-table-${theme}`);
    await go(page, 'settings');
    await page.locator('#sessions_low_percent').fill('95');
    await page.locator('#host_low_available').fill('lots');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await settle(page);
    await measure(page, `${where} wrong settings`);
    await contrast(page, `${where} wrong settings`);
    const focused = await page.evaluate(() => document.activeElement?.id);
    if (focused !== 'sessions_critical_percent') fail(where, `a refused save leads to ${focused}`);
    await shoot(page, `act-settings-wrong-${theme}`);
    await close();
  }
}

if (only.length === 0 || only.includes('acts')) await insideActs({ open, go, settle, measure, contrast, names, keyboard, shoot, fail, layouts: some(LAYOUTS, LAYOUTS.slice(0, 1)), themes: some(THEMES, THEMES.slice(0, 1)) });
if (only.length === 0 || only.includes('acts') || only.includes('reset-acts')) await resetActs({ open, go, settle, measure, contrast, names, keyboard, shoot, layouts: some(LAYOUTS, LAYOUTS.slice(0, 1)), themes: some(THEMES, THEMES.slice(0, 1)) });
if (only.length === 0 || only.includes('acts') || only.includes('leftovers-acts')) await leftoversActs({ open, go, settle, measure, contrast, names, keyboard, shoot, fail, layouts: some(LAYOUTS, LAYOUTS.slice(0, 1)), themes: some(THEMES, THEMES.slice(0, 1)) });

await browser.close();
await new Promise((done) => server.httpServer.close(done));
console.log(`${opened} windows, ${taken} pictures, least contrast ${least.toFixed(2)}:1, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

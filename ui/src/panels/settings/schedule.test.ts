// The control for cleaning by itself.

import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { clearMocks } from '../../ipc';
import { type Backend, install } from '../../mocks/install';
import { scenarios } from '../../mocks/scenarios';
import { Draft } from '../../state/draft.svelte';
import Schedule from './Schedule.svelte';

let backend: Backend;
let draft: Draft;

beforeEach(async () => {
  backend = install(structuredClone(scenarios.fine));
  draft = new Draft();
  await draft.load();
  render(Schedule, { draft });
});
afterEach(() => {
  cleanup();
  clearMocks();
});

const box = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const hours = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Every so many hours/ });
const days = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Discard what was moved aside/ });
const sent = () => backend.calls.filter(({ command }) => command === 'save_settings').map(({ args }) => args.patch);
async function type(field: HTMLInputElement, text: string) {
  await userEvent.clear(field);
  await userEvent.type(field, text);
}

test('everything is off until somebody switches it on', () => {
  expect(box(/^Clean the automatic kinds by itself/).checked).toBe(false);
  expect(box(/^Clean as soon as a disk becomes critical/).checked).toBe(false);
  expect([hours().value, days().value]).toEqual(['24', '0']);
  expect(screen.queryByText(/removed for good/)).toBeNull();
});
test('it points at wrong hours once they were left, not while they are typed', async () => {
  await type(hours(), '0');
  expect(hours().getAttribute('aria-invalid')).toBe('false');
  await userEvent.tab();
  expect(hours().getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(hours().getAttribute('aria-describedby') ?? '')?.textContent).toBe('Between 1 and 720.');
});
test('discarding says plainly that it is for good, and that alone it does nothing', async () => {
  await type(days(), '30');
  expect(screen.getByText(/stand aside for 30 days are then removed for good, without asking/)).toBeTruthy();
  expect(screen.getByText(/nothing is discarded by itself/)).toBeTruthy();
  await userEvent.click(box(/^Clean the automatic kinds by itself/));
  expect(screen.queryByText(/nothing is discarded by itself/)).toBeNull();
  await type(days(), '4000');
  expect(screen.queryByText(/removed for good/)).toBeNull();
});
test('what is chosen is stored as a whole', async () => {
  await userEvent.click(box(/^Clean the automatic kinds by itself/));
  await type(hours(), '6');
  expect(await draft.save()).toBe(true);
  expect(sent()).toEqual([{ leftovers: { schedule: true, hours: 6, when_critical: false, discard_after_days: 0 } }]);
  expect(draft.dirty).toBe(false);
});

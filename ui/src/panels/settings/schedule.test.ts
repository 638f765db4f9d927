// The control for cleaning by itself.

import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';

import Schedule from './Schedule.svelte';

afterEach(cleanup);

test('it points at wrong hours once they were left, not while they are typed', async () => {
  render(Schedule, { on: true, hours: '0', critical: false, wrong: 'Between 1 and 720.', tried: false });
  const hours = screen.getByRole<HTMLInputElement>('textbox', { name: /^Every so many hours/ });
  expect(hours.getAttribute('aria-invalid')).toBe('false');
  await userEvent.click(hours);
  await userEvent.tab();
  expect(hours.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(hours.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Between 1 and 720.');
});
test('it is off as it is given, and each choice has its words', () => {
  render(Schedule, { on: false, hours: '24', critical: false, wrong: undefined, tried: false });
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Clean the automatic kinds by itself/ }).checked).toBe(false);
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Also when a disk becomes critical/ }).checked).toBe(false);
});

// How long a test waits for what must come: only against hanging, never a measure of speed. Ten other
// programs may run beside the tests, and one search by role through a large page then takes a second.

import { configure } from '@testing-library/svelte';
import { vi } from 'vitest';

const PATIENCE = 30_000;

// Of `findBy…` and `waitFor` of the testing library: a second, unless said.
configure({ asyncUtilTimeout: PATIENCE });

/** Waits until something holds that the page does not show. */
export const soon = <T>(holds: () => T | Promise<T>) => vi.waitFor(holds, { timeout: PATIENCE });

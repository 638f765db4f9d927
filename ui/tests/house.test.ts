// Rules of the house that a compiler does not keep.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'vite';
import { describe, expect, test } from 'vitest';

const UI = join(import.meta.dirname, '..');
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'));
const sources = files(join(UI, 'src')).filter((name) => !name.includes('/bindings/') && !name.endsWith('.test.ts'));
const holding = (pattern: RegExp) => sources.filter((name) => pattern.test(readFileSync(name, 'utf8'))).map((name) => name.split('/src/')[1]);

test('one file knows Tauri', () => expect(holding(/from '@tauri-apps/)).toEqual(['ipc.ts']));
test('one file turns numbers and moments into text', () => expect(holding(/\bIntl\.|toLocale|toFixed/)).toEqual(['format.ts']));
test('no file is longer than five hundred lines', () => {
  expect(sources.filter((name) => readFileSync(name, 'utf8').split('\n').length > 500)).toEqual([]);
});
test('the lock file names no download address', () => {
  expect(readFileSync(join(UI, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/);
});

describe('the ordinary build', () => {
  test('holds no scenario, needs no inline style or script, and talks to nobody', async () => {
    const out = mkdtempSync(join(tmpdir(), 'sandtray-ui-'));
    try {
      await build({ root: UI, configFile: join(UI, 'vite.config.ts'), mode: 'production', logLevel: 'error', build: { outDir: out, emptyOutDir: true } });
      const built = files(out);
      const text = built.map((name) => readFileSync(name, 'utf8')).join('\n');
      expect(built.some((name) => name.endsWith('.js'))).toBe(true);
      for (const trace of ['scenario', '/home/ada', 'mockIPC', 'condadata']) expect(text).not.toContain(trace);
      const page = readFileSync(join(out, 'index.html'), 'utf8');
      expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\sstyle=/);
      // Names of XML languages are no addresses.
      const addresses = text.match(/https?:\/\/[\w.-]+/g)?.filter((address) => !address.endsWith('www.w3.org') && !address.endsWith('svelte.dev'));
      expect(addresses ?? []).toEqual([]);
    } finally {
      rmSync(out, { recursive: true });
    }
  });
});

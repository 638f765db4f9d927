// What the state of the Inside panel does with answers that come late, or not at all.

import { afterEach, expect, test } from 'vitest';

import type { InsideView } from '../bindings/InsideView';
import { clearMocks, mockIPC, mockWindows } from '../ipc';
import { entry, view } from '../mocks/insides';
import { Inside } from './inside.svelte';

const A = 'guest_sessions:a';
const B = 'guest_sessions:b';

/** A door behind which every reading waits to be answered by hand. */
function door() {
  const calls: string[] = [];
  const waiting: { disk: string; folder: string | null; answer: (view: InsideView) => void; refuse: (text: string) => void }[] = [];
  mockWindows('main');
  mockIPC((command, args) => {
    calls.push(command);
    if (command !== 'inside') return null;
    const { disk, folder } = args as { disk: string; folder: string | null };
    return new Promise((answer, refuse) => waiting.push({ disk, folder, answer, refuse: (text) => refuse({ text }) }));
  });
  return { calls, waiting };
}

const until = async (what: () => boolean) => {
  while (!what()) await new Promise((done) => setTimeout(done, 1));
};
const of = (disk: string, ids: string[]) => view(disk, '/image', ids.map((id) => entry({ id, path: id })));

afterEach(() => clearMocks());

test('the answer for a disk that was left comes too late', async () => {
  const { calls, waiting } = door();
  const inside = new Inside();
  const first = inside.show(A);
  await until(() => waiting.length === 1);
  const second = inside.show(B);
  await until(() => waiting.length === 2);
  expect(calls).toEqual(['inside', 'cancel_inside', 'inside']);
  waiting[1]!.answer(of(B, ['b1']));
  waiting[0]!.answer(of(A, ['a1']));
  await Promise.all([first, second]);
  expect(inside.view?.disk).toBe(B);
  expect(inside.reading).toBe(false);
});

test('a reading that ends in words because it was stopped is no trouble, and is not begun again', async () => {
  const { waiting } = door();
  const inside = new Inside();
  const reading = inside.show(A);
  await until(() => waiting.length === 1);
  await inside.cancel();
  waiting[0]!.refuse('cancelled');
  await reading;
  expect([inside.stopped, inside.trouble, inside.reading]).toEqual([true, null, false]);
  await inside.show(A);
  expect(waiting).toHaveLength(1);
});

test('a part never takes the place of the whole', async () => {
  const { waiting } = door();
  const inside = new Inside();
  const whole = inside.show(A);
  await until(() => waiting.length === 1);
  waiting[0]!.answer(of(A, ['one', 'two']));
  await whole;
  const again = inside.again();
  await until(() => waiting.length === 2);
  await inside.cancel();
  waiting[1]!.answer({ ...of(A, ['one']), cancelled: true, complete: false });
  await again;
  expect(inside.view?.entries).toHaveLength(2);
  expect(inside.stopped).toBe(true);
});

test('what is no longer there is no longer chosen', async () => {
  const { waiting } = door();
  const inside = new Inside();
  const first = inside.show(A);
  await until(() => waiting.length === 1);
  waiting[0]!.answer(of(A, ['one', 'two', 'three']));
  await first;
  inside.chooseAll(['one', 'three'], true);
  const again = inside.again();
  await until(() => waiting.length === 2);
  waiting[1]!.answer(of(A, ['two', 'three']));
  await again;
  expect([...inside.chosen]).toEqual(['three']);
  expect(inside.choice.map(({ id }) => id)).toEqual(['three']);
});

// Every word of the window, in one language at a time. A second language is a second file beside
// `en.ts` with the same shape, which the compiler checks, and a line in `speak`'s caller.

import { en } from './en';

/** What a language must say. */
export type Words = typeof en;

/** The words in force; read them when drawing, not when loading. */
export let words: Words = en;

/** Changes the language; call before anything is drawn. */
export function speak(language: Words): void {
  words = language;
}

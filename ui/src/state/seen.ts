// The end of an act is shown until somebody closes it, also by a window that was opened later. Losing
// this shows it once more.

const KEY = 'sandtray-seen-1';

/** The act whose end was closed last. */
export type Seen = string | null;

export const seen = {
  load(): Seen {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  save(id: string): void {
    try {
      localStorage.setItem(KEY, id);
    } catch {
      // Without storage it is closed as long as this window is open.
    }
  },
};

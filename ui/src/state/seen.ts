// The end of an act is shown until somebody closes it, also by a window that was opened later. Losing
// this shows it once more.

/** The act whose end was closed last. */
export type Seen = string | null;

function kept(key: string) {
  return {
    load(): Seen {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    save(id: string): void {
      try {
        localStorage.setItem(key, id);
      } catch {
        // Without storage it is closed as long as this window is open.
      }
    },
  };
}

export const seen = kept('sandtray-seen-1');
/** The same for clean-ups. */
export const seenClean = kept('sandtray-seen-clean-1');

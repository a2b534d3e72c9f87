/** Nodes that have not loaded the latest catalogue: they do not know where its new ads lead, and answer 404. */
export interface LateNodes {
  /** A click was answered 404. @returns whether its creative may be unknown still */
  mayNotKnow(creative: string): boolean;
  /** Such clicks. */
  readonly clicks: number;
}

/** After the first 404 for a creative, all nodes know it within this, on a machine that is busy with other things. */
const LOADED_WITHIN_MS = 120_000;

export function createLateNodes(): LateNodes {
  const since = new Map<string, number>();
  let clicks = 0;
  return {
    mayNotKnow(creative) {
      clicks++;
      const now = performance.now();
      const first = since.get(creative) ?? now;
      since.set(creative, first);
      return now - first < LOADED_WITHIN_MS;
    },
    get clicks() {
      return clicks;
    },
  };
}

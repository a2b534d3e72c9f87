/**
 * Runs an action and returns, as one text, the keys and values that it put into maps: what a function keeps in its
 * closure cannot be inspected afterwards.
 */
export function mapEntriesOf(action: () => void): string {
  const prototype = Map.prototype as unknown as Record<'set', (...args: unknown[]) => unknown>;
  const { set } = prototype;
  const entries: unknown[] = [];
  prototype.set = function spy(this: Map<unknown, unknown>, ...entry: unknown[]) {
    entries.push(entry);
    return set.apply(this, entry);
  };
  try {
    action();
  } finally {
    prototype.set = set;
  }
  return JSON.stringify(entries);
}

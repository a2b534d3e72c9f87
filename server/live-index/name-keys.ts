import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { isPlainName, nameKey } from '../../models/text/name-key.js';

/** A creative's names by `nameKey`, as they are compared with lists of what a publisher or request does not want. */
interface NameKeys {
  readonly categories: readonly string[];
  readonly advertiser: string | null;
}

/**
 * Of creatives with names beyond ASCII, whose keys take up to ten microseconds each: a match may compare thousands of
 * creatives with fifty categories. Garbage-collected with them.
 */
const built = new WeakMap<Creative, NameKeys>();

/** Names between two turns of the event loop: some five milliseconds. */
const AT_ONCE = 500;

/** Makes the keys of a snapshot's creatives before it goes live, in batches. */
export async function buildNameKeys({ creatives }: Pick<ServedSnapshot, 'creatives'>): Promise<void> {
  /** By name, and by list of categories: many creatives share them. */
  const keys = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  let done = 0;
  const keyOf = (name: string): string => {
    const known = keys.get(name);
    if (known !== undefined) return known;
    done++;
    const key = nameKey(name);
    keys.set(name, key);
    return key;
  };
  const keysOf = (names: readonly string[]): readonly string[] => {
    const id = JSON.stringify(names);
    const known = lists.get(id) ?? names.map(keyOf);
    lists.set(id, known);
    return known;
  };
  for (const [at, creative] of creatives.entries()) {
    const { advertiser, categories } = creative;
    if (!(categories.every(isPlainName) && isPlainName(advertiser ?? 'none'))) {
      built.set(creative, {
        categories: keysOf(categories),
        advertiser: advertiser === null ? null : keyOf(advertiser),
      });
    }
    if (done < AT_ONCE && at % AT_ONCE !== AT_ONCE - 1) continue;
    done = 0;
    await nextTurn();
  }
}

/** Returns the keys of a creative's categories. */
export function categoryKeysOf(creative: Creative): readonly string[] {
  return built.get(creative)?.categories ?? creative.categories.map(nameKey);
}

/** Returns the key of the advertiser that a creative's feed names; null: it names none. */
export function advertiserKeyOf(creative: Creative): string | null {
  const known = built.get(creative);
  if (known !== undefined) return known.advertiser;
  return creative.advertiser === null ? null : nameKey(creative.advertiser);
}

import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { indexPhrases, type PhraseIndex } from '../../models/text/phrase-search.js';

// By list of creatives, which the parts of a snapshot for different encoders share; garbage-collected with it.
const built = new WeakMap<readonly Creative[], Promise<PhraseIndex>>();

/** Returns the index of the negative keywords of a snapshot's creatives, made before it goes live. */
export function negativeKeywordsOf({ creatives }: Pick<ServedSnapshot, 'creatives'>): Promise<PhraseIndex> {
  const known = built.get(creatives);
  if (known !== undefined) return known;
  const index = indexPhrases(listsOf(creatives));
  built.set(creatives, index);
  return index;
}

function* listsOf(creatives: readonly Creative[]): Iterable<readonly string[] | undefined> {
  for (const { negativeKeywords } of creatives) yield negativeKeywords;
}

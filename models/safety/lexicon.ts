import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a turn names explicitly. */
export interface Lexicon {
  /** Topics that are named outright ("I want to die", "funeral home"), harmless uses excepted: such words decide alone. */
  explicitTopics(turn: string): readonly string[];
}

interface StoredLexicon {
  readonly benign: readonly string[];
  readonly explicit: readonly { readonly topic: string; readonly pattern: string }[];
}

const file = fileURLToPath(new URL('../../../models/safety/lexicon.json', import.meta.url));

// Of a long turn only this much is searched: a pasted book says nothing about its reader.
const MAX_CHARACTERS = 4000;

/** Reads the word lists; the same for every encoder. */
export function loadLexicon(): Lexicon {
  const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredLexicon;
  const benign = stored.benign.map((pattern) => new RegExp(pattern, 'g'));
  const explicit = stored.explicit.map(({ topic, pattern }) => ({ topic, pattern: new RegExp(pattern) }));
  const withoutBenign = (turn: string): string => {
    const newest = turn.slice(-MAX_CHARACTERS).normalize('NFC').toLowerCase();
    const text = newest.replaceAll('’', "'").replaceAll(/\s+/g, ' ');
    return benign.reduce((left, pattern) => left.replaceAll(pattern, ' _ '), text);
  };
  return {
    explicitTopics(turn) {
      const text = withoutBenign(turn);
      return explicit.filter(({ pattern }) => pattern.test(text)).map(({ topic }) => topic);
    },
  };
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { foldLetters } from '../text/fold-letters.js';
import { foldWords } from './fold-words.js';

/** What a turn names explicitly. */
export interface Lexicon {
  /** Topics that are named outright ("I want to die", "funeral home"), harmless uses excepted: such words decide alone. */
  explicitTopics(turn: string): readonly string[];
}

interface StoredLexicon {
  readonly benign: readonly string[];
  readonly explicit: readonly { readonly topic: string; readonly pattern: string }[];
}

/** Of a language other than English: `{name}` in a pattern stands for the term of that name. */
interface StoredLanguage {
  readonly terms: Readonly<Record<string, string>>;
  readonly benign: readonly string[];
  readonly explicit: readonly { readonly topic: string; readonly patterns: readonly string[] }[];
}

interface Reading {
  readonly benign: readonly RegExp[];
  readonly explicit: readonly { readonly topic: string; readonly pattern: RegExp }[];
}

const folder = new URL('../../../models/safety/', import.meta.url);

// Of a long turn only this much is searched: a pasted book says nothing about its reader.
const MAX_CHARACTERS = 4000;

const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh']);

/**
 * Reads the word lists; the same for every encoder. Each turn is searched in every language: a short one does not tell
 * its own, and people mix.
 *
 * @throws {SyntaxError} for a pattern that is none, or names a term that its file lacks
 */
export function loadLexicon(): Lexicon {
  const english = englishReading(read('lexicon.json') as StoredLexicon);
  const names = readdirSync(new URL('lexicon/', folder)).filter((name) => name.endsWith('.json'));
  const files = names.toSorted().map((name) => ({ name, stored: read(`lexicon/${name}`) as StoredLanguage }));
  const isUnspaced = (name: string): boolean => UNSPACED.has(name.slice(0, 2));
  const spaced = files.filter(({ name }) => !isUnspaced(name)).map(({ stored }) => languageReading(stored, true));
  const unspaced = files.filter(({ name }) => isUnspaced(name)).map(({ stored }) => languageReading(stored, false));
  return {
    explicitTopics(turn) {
      const newest = turn.slice(-MAX_CHARACTERS).normalize('NFC').toLowerCase();
      const text = newest.replaceAll('’', "'").replaceAll(/\s+/g, ' ');
      const words = foldWords(newest);
      const closed = newest.replaceAll(/\s+/g, '');
      return [
        ...topicsIn(text, english),
        ...spaced.flatMap((reading) => topicsIn(words, reading)),
        ...unspaced.flatMap((reading) => topicsIn(closed, reading)),
      ];
    },
  };
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'));
}

function englishReading({ benign, explicit }: StoredLexicon): Reading {
  return {
    benign: benign.map((pattern) => new RegExp(pattern, 'g')),
    explicit: explicit.map(({ topic, pattern }) => ({ topic, pattern: new RegExp(pattern) })),
  };
}

/** @param spaced whether words stand between spaces, as `foldWords` leaves them */
function languageReading({ terms, benign, explicit }: StoredLanguage, spaced: boolean): Reading {
  const whole = (patterns: readonly string[]): string => {
    const either = `(?:${patterns.join('|')})`.replaceAll(/\{([a-z]+)\}/g, (name, key: string) => terms[key] ?? name);
    return spaced ? ` ${foldLetters(either)}(?= )` : either;
  };
  return {
    benign: [new RegExp(whole(benign), 'gu')],
    explicit: explicit.map(({ topic, patterns }) => ({ topic, pattern: new RegExp(whole(patterns), 'u') })),
  };
}

function topicsIn(text: string, { benign, explicit }: Reading): string[] {
  const left = benign.reduce((rest, pattern) => rest.replaceAll(pattern, ' _ '), text);
  return explicit.filter(({ pattern }) => pattern.test(left)).map(({ topic }) => topic);
}

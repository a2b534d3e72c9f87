import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { foldLetters } from '../text/fold-letters.js';
import { foldWords } from './fold-words.js';

/** Detector of explicit wording in a turn. */
export interface Lexicon {
  /**
   * Returns the topics that the turn names outright ("I want to die", "funeral home"), harmless uses excepted. Explicit
   * wording alone decides the gate's verdict.
   */
  explicitTopics(turn: string): readonly string[];
}

interface StoredLexicon {
  readonly benign: readonly string[];
  readonly explicit: readonly { readonly topic: string; readonly pattern: string }[];
}

/** Word lists of a language other than English. `{name}` in a pattern stands for the term of that name. */
interface StoredLanguage {
  readonly terms: Readonly<Record<string, string>>;
  readonly benign: readonly string[];
  readonly explicit: readonly { readonly topic: string; readonly patterns: readonly string[] }[];
}

/** Compiled patterns of one language. */
interface Patterns {
  readonly benign: readonly RegExp[];
  readonly explicit: readonly { readonly topic: string; readonly pattern: RegExp }[];
}

const folder = new URL('../../../models/safety/', import.meta.url);

// Only the newest part of a long turn is searched: a pasted book says nothing about the user.
const MAX_CHARACTERS = 4000;

const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh']);

/**
 * Loads the word lists, which are the same for every encoder. Each turn is searched in every language, since the
 * language of a short turn is uncertain and people mix languages.
 *
 * @throws {SyntaxError} if a pattern is invalid or names a term that its file lacks
 */
export function loadLexicon(): Lexicon {
  const english = compileEnglish(read('lexicon.json') as StoredLexicon);
  const names = readdirSync(new URL('lexicon/', folder)).filter((name) => name.endsWith('.json'));
  const files = names.toSorted().map((name) => ({ name, stored: read(`lexicon/${name}`) as StoredLanguage }));
  const isUnspaced = (name: string): boolean => UNSPACED.has(name.slice(0, 2));
  const spaced = files.filter(({ name }) => !isUnspaced(name)).map(({ stored }) => compileLanguage(stored, true));
  const unspaced = files.filter(({ name }) => isUnspaced(name)).map(({ stored }) => compileLanguage(stored, false));
  return {
    explicitTopics(turn) {
      const newest = turn.slice(-MAX_CHARACTERS).normalize('NFC').toLowerCase();
      const text = newest.replaceAll('’', "'").replaceAll(/\s+/g, ' ');
      const words = foldWords(newest);
      const closed = newest.replaceAll(/\s+/g, '');
      return [
        ...topicsIn(text, english),
        ...spaced.flatMap((patterns) => topicsIn(words, patterns)),
        ...unspaced.flatMap((patterns) => topicsIn(closed, patterns)),
      ];
    },
  };
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'));
}

function compileEnglish({ benign, explicit }: StoredLexicon): Patterns {
  return {
    benign: benign.map((pattern) => new RegExp(pattern, 'g')),
    explicit: explicit.map(({ topic, pattern }) => ({ topic, pattern: new RegExp(pattern) })),
  };
}

/** @param spaced whether the text has a space around each word, as `foldWords` returns it */
function compileLanguage({ terms, benign, explicit }: StoredLanguage, spaced: boolean): Patterns {
  const whole = (patterns: readonly string[]): string => {
    const either = `(?:${patterns.join('|')})`.replaceAll(/\{([a-z]+)\}/g, (name, key: string) => terms[key] ?? name);
    return spaced ? ` ${foldLetters(either)}(?= )` : either;
  };
  return {
    benign: [new RegExp(whole(benign), 'gu')],
    explicit: explicit.map(({ topic, patterns }) => ({ topic, pattern: new RegExp(whole(patterns), 'u') })),
  };
}

function topicsIn(text: string, { benign, explicit }: Patterns): string[] {
  const left = benign.reduce((rest, pattern) => rest.replaceAll(pattern, ' _ '), text);
  return explicit.filter(({ pattern }) => pattern.test(left)).map(({ topic }) => topic);
}

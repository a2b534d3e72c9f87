import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, parseOptions } from '../../platform/command-line/run-command.js';
import { wordsOf } from '../../models/scoring/words-of.js';
import { readJsonLines } from './set.js';

const usage = `Usage: node dist/test/eval/document-frequencies.js

Prints models/scoring/document-frequencies.txt: which share of the English ads or, if it is more, of the English
conversations in models/training/text have each word, in ten thousand.
`;

const TEXT = fileURLToPath(new URL('../../../models/training/text/', import.meta.url));

await main({
  usage,
  async run(argv, output) {
    parseOptions(argv, {}, 0);
    output.out(asText(commonest([sharesOf(filesOf('catalogues').flatMap(adsOf)), sharesOf(conversations())])));
  },
});

function filesOf(directory: string): string[] {
  return readdirSync(path.join(TEXT, directory)).map((file) => path.join(TEXT, directory, file));
}

/** Reads the conversations about English ads. */
function conversations(): string[] {
  const rows = filesOf('wild').flatMap((file) => readJsonLines<{ context: string }>(file));
  // In these files conversations follow lines of `#kind | right ads | acceptable ads`.
  const others = filesOf('contexts').flatMap((file) => readFileSync(file, 'utf8').split(/^#.*$/m));
  return [...rows.map(({ context }) => context), ...others].filter((text) => text.trim() !== '');
}

/** Reads lines of `id | advertiser | categories | name | text`. */
function adsOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' | '))
    .filter((fields) => fields.length >= 5)
    .map(([, advertiser, , name, ...text]) => `${name} ${text.join(' | ')} ${advertiser}`);
}

/** Returns the share of texts that have each word, for words of at least two texts. */
function sharesOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count > 1).map(([word, count]) => [word, count / texts.length]));
}

/** Returns each word's greatest share. */
function commonest(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const [word, share] of all.flatMap((shares) => [...shares]))
    most.set(word, Math.max(share, most.get(word) ?? 0));
  return most;
}

/** Rounds shares to steps of about a tenth, so that words share lines, and drops the rarest, which say nothing more. */
function asText(shares: ReadonlyMap<string, number>): string {
  const lines = new Map<number, string[]>();
  for (const [word, share] of shares) {
    const rounded = Math.round(1.1 ** Math.round(Math.log(share * 10_000) / Math.log(1.1)));
    if (rounded >= 2) lines.set(rounded, [...(lines.get(rounded) ?? []), word]);
  }
  return [...lines]
    .toSorted(([one], [other]) => other - one)
    .map(([share, words]) => `${share} ${words.toSorted().join(' ')}\n`)
    .join('');
}

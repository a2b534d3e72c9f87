import type { LedgerDatabase } from '../../server/ledger/tables/ledger-database.js';
import type { AccountingBasis } from '../../server/ledger/tables/accounting-basis.js';
import type { Measures } from '../../server/reports/measures.js';
import type { Dimension } from '../../server/reports/report-query.js';
import { report } from '../../server/reports/report.js';
import { NAMES, type Books, type Figures, type Key, type Page } from './books.js';

/** Each of these uses a different roll-up or adds up differently. */
const QUESTIONS: readonly (readonly Dimension[])[] = [
  NAMES,
  ['day', 'publisher'],
  ['day', 'advertiser', 'campaign', 'creative'],
  ['day'],
  ['campaign'],
  [],
];

/**
 * Compares the books with the report, to the micro, for every report in `QUESTIONS`.
 *
 * @returns null if they agree, else a description of the first difference
 */
export function firstDifference(books: Books, database: LedgerDatabase, basis: AccountingBasis): string | null {
  for (const by of QUESTIONS) {
    for (const test of [false, true]) {
      const expected = coarsened(books.pages, by, test);
      const summed = report(database, { by, test }, basis);
      const reported = new Map<string, Figures>();
      if (by.length === 0) reported.set('', figuresOf(summed.total));
      for (const { group, ...measures } of summed.rows) {
        reported.set(by.map((name) => group[name] ?? '(none)').join(' · '), figuresOf(measures));
      }
      for (const group of [...new Set([...expected.keys(), ...reported.keys()])].toSorted()) {
        const difference = unequal(expected.get(group) ?? {}, reported.get(group) ?? {});
        const where = `by ${by.join(',') || 'nothing'}${test ? ' of test keys' : ''}: ${group}`;
        if (difference !== null) return `${where}: ${difference}`;
      }
    }
  }
  return null;
}

/** Yields the report's present figures as pages with which the books begin. */
export function* openingPages(database: LedgerDatabase, basis: AccountingBasis): Generator<Page> {
  for (const test of [false, true]) {
    for (const { group, ...measures } of report(database, { by: NAMES, test }, basis).rows) {
      yield { key: NAMES.map((name) => group[name] ?? null) as unknown as Key, test, figures: figuresOf(measures) };
    }
  }
}

/** Returns every total of the ledger without test keys: by the books, and by the report. */
export function totals(books: Books, database: LedgerDatabase, basis: AccountingBasis): [string, number, number][] {
  const expected = coarsened(books.pages, [], false).get('') ?? {};
  const reported = figuresOf(report(database, { by: [], test: false }, basis).total);
  return Object.keys(reported).map((name) => [name, expected[name] ?? 0, reported[name]!]);
}

function coarsened(pages: Iterable<Page>, by: readonly Dimension[], test: boolean): Map<string, Figures> {
  const places = by.map((name) => (NAMES as readonly string[]).indexOf(name));
  const sums = new Map<string, Figures>();
  for (const { key, figures, test: ofTest } of pages) {
    if (ofTest !== test) continue;
    const group = places.map((place) => key[place] ?? '(none)').join(' · ');
    const sum = sums.get(group) ?? {};
    sums.set(group, sum);
    for (const [name, times] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + times;
  }
  return sums;
}

function figuresOf({ noFills, ignored, spendMicros, decisions, fills, impressions, views, clicks }: Measures): Figures {
  const spend = Number(spendMicros);
  if (!Number.isSafeInteger(spend)) throw new Error(`a spend of ${spendMicros} micros is more than the books hold`);
  const named = (group: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([reason, times]) => [`${group}.${reason}`, times] as const);
  const counted = { decisions, fills, impressions, views, clicks, spend };
  return { ...counted, ...Object.fromEntries([...named('noFills', noFills), ...named('ignored', ignored)]) };
}

function unequal(books: Figures, reported: Figures): string | null {
  for (const name of new Set([...Object.keys(books), ...Object.keys(reported)])) {
    const [one, other] = [books[name] ?? 0, reported[name] ?? 0];
    if (one !== other) return `${name} is ${one} in the books and ${other} in the report`;
  }
  return null;
}

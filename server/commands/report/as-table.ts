import { decimal } from '../../../models/text/money.js';
import { drawTable } from '../../../platform/command-line/draw-table.js';
import { printable } from '../../../platform/text/printable.js';
import type { Measures } from '../../reports/measures.js';
import type { Report } from '../../reports/report.js';

/**
 * Formats a report for a terminal: a line about its scope, the rows with their total, and the reasons that occurred.
 */
export function asTable(report: Report): string {
  const { by, rows, total, leftOut, test } = report;
  const empty = total.decisions + total.impressions + total.views + total.clicks + sum(total.ignored) === 0;
  const lines = [heading(report), empty ? `No ${test ? 'test ' : ''}decisions or events in this period.` : ''];
  if (!empty) {
    const colAligns = [...by.map(() => 'left' as const), ...HEAD.map(() => 'right' as const)];
    const spend = money([...rows, total].map((measures) => measures.spendMicros));
    const ecpm = money([...rows, total].map((measures) => measures.ecpmMicros));
    const drawn = rows.map(({ group, ...measures }) => [
      ...by.map((dimension) => printable(group[dimension] ?? '–')),
      ...cellsOf(measures, spend, ecpm),
    ]);
    const last = [...by.map((_, position) => (position === 0 ? 'total' : '')), ...cellsOf(total, spend, ecpm)];
    lines[1] = drawTable({ head: [...by, ...HEAD], colAligns }, [...drawn, last]);
    lines.push(...reasons('no ad', total.noFills), ...reasons('ignored', total.ignored));
    lines.push(...languages(total), ...voided(total));
  }
  if (leftOut > 0) {
    const others = test ? 'not of test keys' : 'of test keys';
    lines.push(
      `${leftOut} decisions and events ${others} are left out (${test ? 'without --test' : '--test shows them'}).`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const HEAD = [
  'decisions',
  'fills',
  'no ad',
  'impressions',
  'views',
  'clicks',
  'ignored',
  'spend',
  'fill rate',
  'CTR',
  'eCPM',
];

function heading({ from, to, timeZone, currency, test, where }: Report): string {
  const period = from === null && to === null ? 'All time' : `From ${from ?? 'the beginning'} to ${to ?? 'now'}`;
  const filters = Object.entries(where).map(
    ([name, values]) => ` Only ${name} ${[values].flat().map(shown).join(' or ')}.`,
  );
  return `${period}. Days in ${timeZone}, money in ${currency}.${filters.join('')}${test ? ' Test keys only: nothing here is billed.' : ''}`;
}

const shown = (name: string): string => (name === '' ? '–' : `"${printable(name)}"`);

type Money = (micros: bigint | null) => string;

/** Formats a column of money with as many decimals as its longest value needs, at least two: exact and aligned. */
function money(column: readonly (bigint | null)[]): Money {
  const places = column.map((micros) => (micros === null ? 2 : decimal(micros, 2).split('.')[1]!.length));
  const decimals = places.reduce((one, other) => Math.max(one, other));
  return (micros) => (micros === null ? '–' : decimal(micros, decimals));
}

function cellsOf(measures: Measures, spend: Money, ecpm: Money): string[] {
  const { decisions, fills, impressions, views, clicks, ignored, spendMicros, fillRate, ctr, ecpmMicros } = measures;
  const counts = [decisions, fills, decisions - fills, impressions, views, clicks, sum(ignored)].map(String);
  return [...counts, spend(spendMicros), percent(fillRate), percent(ctr), ecpm(ecpmMicros)];
}

function reasons(title: string, counts: Readonly<Record<string, number>>): string[] {
  const occurred = Object.entries(counts).filter(([, times]) => times > 0);
  return occurred.length === 0
    ? []
    : [`${title}: ${occurred.map(([reason, times]) => `${reason} ${times}`).join(', ')}`];
}

function languages({ languages: found }: Measures): string[] {
  const counted = Object.entries(found).map(([label, { fills, noFills }]) => ({ label, fills, all: fills + noFills }));
  if (counted.length === 0) return [];
  const ordered = counted.toSorted((one, other) => other.all - one.all);
  return [
    `with an ad, by language: ${ordered.map(({ label, fills, all }) => `${label} ${fills} of ${all}`).join(', ')}`,
  ];
}

function voided({ voided: events, creditMicros }: Measures): string[] {
  if (events === 0) return [];
  return [`voided later: ${events} of the events above, and ${decimal(creditMicros, 2)} of the spend is credited`];
}

function percent(rate: number | null): string {
  return rate === null ? '–' : `${(100 * rate).toFixed(2)} %`;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, times) => total + times, 0);
}

import Table from 'cli-table3';
import { NO_FILL_REASONS, type NoFillReason } from '../../../models/schema/event-kinds.js';
import { printableEnd, printable } from '../../../platform/text/printable.js';
import type { ReplayedDecision, Change, DecisionComparison, SideFigures } from './compare.js';

/** The two sides of a comparison. */
export interface Sides {
  readonly from: string;
  readonly to: string;
  /** The floor of the second side; null: the same. */
  readonly floor: number | null;
}

/** Formats a comparison for a terminal. */
export function asText(
  { contexts, before, after, changes, examples }: DecisionComparison,
  { from, to, floor }: Sides,
): string {
  const other = `snapshot ${to}${floor === null ? '' : `, floor ${floor}`}`;
  const table = new Table({
    head: ['', `before: snapshot ${from}`, `after: ${other}`, 'change'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  const row = (name: string, value: (side: SideFigures) => number | null): void =>
    void table.push([name, percent(value(before)), percent(value(after)), points(value(before), value(after))]);
  row('fill', ({ fill }) => fill);
  row('expected precision', ({ expectedPrecision }) => expectedPrecision);
  if (before.judged + after.judged > 0) row('precision where known', ({ precision }) => precision);
  for (const reason of reasonsOf(before, after)) {
    const [one, two] = [before.noFills[reason] ?? 0, after.noFills[reason] ?? 0];
    table.push([`no ad: ${reason}`, one, two, signed(two - one)]);
  }
  const { same, other: replaced, gained, lost } = changes;
  return [
    `${contexts} conversations: ${same} the same, ${replaced} get another ad, ${gained} gain an ad, ${lost} lose theirs.`,
    table.toString(),
    ...examples.flatMap((example) => [
      '',
      `${TITLES[example.change]}: ${printableEnd(example.context, TEXT)}`,
      `  before  ${answerText(example.before)}`,
      `  after   ${answerText(example.after)}`,
    ]),
    '',
  ].join('\n');
}

const TEXT = 160;
const TITLES: Readonly<Record<Exclude<Change, 'same'>, string>> = { other: 'ANOTHER', gained: 'GAINED', lost: 'LOST' };

function reasonsOf(...sides: readonly SideFigures[]): NoFillReason[] {
  return NO_FILL_REASONS.filter((reason) => sides.some(({ noFills }) => reason in noFills)).toSorted();
}

function answerText(answer: ReplayedDecision): string {
  return 'reason' in answer
    ? `no ad, ${answer.reason}`
    : `${answer.score.toFixed(3)}  ${printable(answer.name, 80)} (${printable(answer.id, 40)})`;
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);

function points(before: number | null, after: number | null): string {
  return before === null || after === null ? '–' : signed(Number((100 * (after - before)).toFixed(1)));
}

const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));

import Table from 'cli-table3';
import { FEATURE_NAMES } from '../../../models/scoring/decision-model.js';
import { printable } from '../../../platform/text/printable.js';
import type { Calibrated, Mapping, MappingFigures, SetFigures } from './calibrate.js';
import type { FloorFigures } from './floor.js';

/** Formats the effects of a calibration for a terminal. */
export function asText({ before, after, sets, floors }: Calibrated): string {
  return [
    'By set: the previous mapping, and a new one on contexts that it was not fitted to (5 folds).',
    setTable(sets),
    '',
    'Floors of the new mapping, over all sets (also on contexts that it was not fitted to):',
    floorTable(floors, after.floor),
    '',
    ...changes(before, after),
    '',
  ].join('\n');
}

const right = 'right' as const;

function setTable(sets: readonly SetFigures[]): string {
  const head = ['set', 'contexts', 'right', 'mapping', 'ECE', 'log loss', 'floor', 'fill', 'precision', 'no-ad shown'];
  const table = new Table({
    head,
    colAligns: [undefined, right, right, undefined, right, right, right, right, right, right].map(
      (side) => side ?? 'left',
    ),
    style: { head: [], border: [], compact: true },
  });
  for (const { name, contexts, right, before, after } of sets) {
    table.push(
      [printable(name, 30), contexts, percent(right), 'before', ...cells(before)],
      ['', '', '', 'new', ...cells(after)],
    );
  }
  return table.toString();
}

function cells({ ece, logLoss, atFloor }: MappingFigures): string[] {
  return [ece.toFixed(3), logLoss.toFixed(3), atFloor.floor.toFixed(3), ...shownCells(atFloor)];
}

function floorTable(floors: readonly FloorFigures[], chosen: number): string {
  const table = new Table({
    head: ['floor', 'fill', 'precision', 'no-ad shown', ''],
    colAligns: [right, right, right, right, 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const shown of floors) {
    table.push([shown.floor.toFixed(3), ...shownCells(shown), shown.floor === chosen ? 'chosen' : '']);
  }
  return table.toString();
}

const shownCells = ({ fill, precision, noAdShown }: FloorFigures): string[] =>
  [fill, precision, noAdShown].map(percent);

function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}

function changes(before: Mapping, after: Mapping): string[] {
  const change = (name: string, from: number, to: number): string => `${name.padEnd(12)} ${from} → ${to}`;
  return [
    ...after.score.weights.map((weight, at) => change(FEATURE_NAMES[at]!, before.score.weights[at]!, weight)),
    change('bias', before.score.bias, after.score.bias),
    change('floor', before.floor, after.floor),
  ];
}

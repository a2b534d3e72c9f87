import { decimal } from '../../../models/text/money.js';
import { drawTable } from '../../../platform/command-line/draw-table.js';
import { printable } from '../../../platform/text/printable.js';
import { monthText } from '../../domain/billing-month.js';
import type { VoidedEvents } from '../../ledger/corrections/void-events.js';
import type { ListedCorrection } from '../../ledger/corrections/list-corrections.js';

/** Formats voided events, one row per kind, creative, publisher and month. */
export function voidedTable(voided: readonly VoidedEvents[]): string {
  const head = [
    'publisher',
    'advertiser',
    'campaign',
    'creative',
    'kind',
    'events',
    'credit',
    'billed in',
    'credited in',
  ];
  const rows = voided.map(({ publisher, advertiser, campaign, creative, kind, events, micros, billedMonth, month }) => [
    ...[publisher, advertiser, campaign, creative].map(shown),
    kind,
    events,
    decimal(micros, 2),
    monthText(billedMonth),
    micros > 0n ? monthText(month) : '–',
  ]);
  return `${drawTable({ head }, rows)}\n`;
}

export function correctionsTable(corrections: readonly ListedCorrection[]): string {
  if (corrections.length === 0) return 'nothing was voided yet\n';
  const head = ['correction', 'made', 'reason', 'which', 'events', 'credit', 'credited in'];
  const rows = corrections.map(({ correction, madeAt, reason, rule, events, credit, creditedIn }) => [
    correction,
    madeAt.slice(0, 16),
    printable(reason, 60),
    printable(JSON.stringify(rule), 80),
    events,
    credit,
    creditedIn.join(', ') || '–',
  ]);
  return `${drawTable({ head }, rows)}\n`;
}

const shown = (name: string): string => (name === '' ? '–' : printable(name, 60));

import { Eta } from 'eta';
import { fileURLToPath } from 'node:url';
import { decimal } from '../domain/decimal.js';
import type { Invoice } from './invoice.js';

/** Templates lie beside the sources: the compiler does not copy them. */
const VIEWS = fileURLToPath(new URL('../../../server/invoice/views/', import.meta.url));

/** An invoice as one page to print: no script, nothing fetched. Every name is escaped. */
export function asHtml(invoice: Invoice): string {
  const eta = new Eta({ views: VIEWS, autoEscape: true, autoTrim: false });
  return eta.render('./invoice', { ...invoice, money: (micros: bigint) => decimal(micros) });
}

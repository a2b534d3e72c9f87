import { drawTable, type TableRow } from '../../../platform/command-line/draw-table.js';
import type { BillingFile, Buyer, Seller } from '../../invoice/billing/billing-file.js';

/** Draws who sells and who buys, with a line for each field that is set. */
export function billingTable({ seller, buyers }: BillingFile): string {
  const rows = [
    ...(seller === undefined ? [] : [['(the seller)', fieldsOf(seller)]]),
    ...buyers.map((buyer): TableRow => [buyer.advertiser, fieldsOf(buyer)]),
  ];
  if (rows.length === 0)
    return 'no billing details; npm run billing -- seller --name NAME --address LINE sets who sells';
  return drawTable({ head: ['advertiser', 'on invoices'], compact: false }, rows);
}

function fieldsOf(party: Seller | Buyer): string {
  const { name, address, taxNumber, taxRate, note = [] } = party;
  const { taxName = 'tax', payment = [], dueDays }: Partial<Seller> = 'advertiser' in party ? {} : party;
  return [
    name,
    ...address,
    ...(taxNumber === undefined ? [] : [taxNumber]),
    ...(taxRate === undefined ? [] : [`${taxName} ${taxRate} %`]),
    ...(dueDays === undefined ? [] : [`due after ${dueDays} ${dueDays === 1 ? 'day' : 'days'}`]),
    ...payment,
    ...note,
  ].join('\n');
}

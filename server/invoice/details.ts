import { decimal } from '../../models/text/money.js';
import type { Buyer, Seller } from './billing/billing-file.js';
import type { Invoice } from './invoice.js';

/** What an invoice says of its parties, dates, tax and payment. */
export interface Details {
  /** `2026-12-01`; null: the month is open. */
  readonly issued: string | null;
  /** Null: no date is set, or nothing is to be paid. */
  readonly due: string | null;
  readonly seller: WrittenParty | null;
  readonly buyer: WrittenParty | null;
  /** How to pay, a line each; empty if nothing is to be paid. */
  readonly payment: readonly string[];
  readonly notes: readonly string[];
  readonly net: string;
  readonly tax: { readonly name: string; readonly rate: string; readonly amount: string } | null;
}

type WrittenParty = Pick<Seller, 'name' | 'address' | 'taxNumber'>;

/** Returns what an invoice says besides its lines; null if no billing details are set. */
export function detailsOf(invoice: Invoice): Details | null {
  const { issued, due, parties, netMicros, tax, payableMicros, payableDecimals } = invoice;
  const { seller, buyer } = parties;
  if (seller === undefined && buyer === undefined) return null;
  return {
    issued,
    due,
    seller: written(seller),
    buyer: written(buyer),
    payment: payableMicros > 0n ? (seller?.payment ?? []) : [],
    notes: [...(buyer?.note ?? []), ...(seller?.note ?? [])],
    net: decimal(netMicros, payableDecimals),
    tax: tax && { name: tax.name, rate: tax.rate, amount: decimal(tax.micros, payableDecimals) },
  };
}

function written(party: Seller | Buyer | undefined): WrittenParty | null {
  if (party === undefined) return null;
  const { name, address, taxNumber } = party;
  return { name, address, ...(taxNumber === undefined ? {} : { taxNumber }) };
}

/** Returns an invoice's details as columns of a CSV, lines joined by commas. */
export function detailColumns({ issued, due, seller, buyer, payment, notes, net, tax }: Details) {
  return {
    issued,
    due,
    seller: seller?.name,
    sellerAddress: seller?.address.join(', '),
    sellerTaxNumber: seller?.taxNumber,
    buyer: buyer?.name,
    buyerAddress: buyer?.address.join(', '),
    buyerTaxNumber: buyer?.taxNumber,
    net,
    taxName: tax?.name,
    taxRate: tax?.rate,
    tax: tax?.amount,
    payment: payment.join(', '),
    notes: notes.join(' '),
  };
}

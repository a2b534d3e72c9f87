import { Type, type Static } from '#typebox';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../../models/schema/check.js';
import { Label } from '../../../models/schema/creative.js';
import { openStore } from '../../stores/open-store.js';
import type { SharedStore } from '../../stores/shared-store.js';

const Line = Type.String({ pattern: '^(?=.*\\S)\\P{Cc}{1,200}$', description: 'a line of at most 200 characters' });
const Lines = Type.Array(Line, { minItems: 1, maxItems: 10 });
const Rate = Type.String({
  pattern: '^(0|[1-9]\\d?)(\\.\\d{1,4})?$',
  description: 'a percentage below 100, such as 19 or 8.875',
});

const PARTY = {
  /** In law; an advertiser's name in feeds may be another. */
  name: Line,
  address: Lines,
  /** With what it is, such as `VAT ID DE123456789`. */
  taxNumber: Type.Optional(Line),
  /** Per cent, as a decimal. A seller's is for all advertisers that have none of their own. Absent: no line of tax. */
  taxRate: Type.Optional(Rate),
  /** Free text at the end of the invoice. */
  note: Type.Optional(Lines),
};

/** Who sells, as invoices say it. */
export const Seller = Type.Object(
  {
    ...PARTY,
    taxName: Type.Optional(Line),
    /** How to pay, such as bank and account. */
    payment: Type.Optional(Lines),
    /** From the day on which a month is closed to the day on which its invoice is due. */
    dueDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 365 })),
  },
  { additionalProperties: false },
);
export type Seller = Static<typeof Seller>;

/** An advertiser's billing details. Its tax rate replaces the seller's. */
export const Buyer = Type.Object({ advertiser: Label, ...PARTY }, { additionalProperties: false });
export type Buyer = Static<typeof Buyer>;

const BillingFile = Type.Object(
  { version: Type.Literal(1), seller: Type.Optional(Seller), buyers: Type.Array(Buyer) },
  { additionalProperties: false },
);
export type BillingFile = Static<typeof BillingFile>;

/** Nothing is set: invoices have amounts alone. */
export const NO_BILLING: BillingFile = { version: 1, buyers: [] };

/** Opens `DATA_DIR/billing.json`, which operators may edit by hand, or the shared document of that name. */
export function billingStore(dataDir: string, cluster?: Cluster | null): SharedStore<BillingFile> {
  return openStore<BillingFile>({ dataDir, name: 'billing.json', empty: NO_BILLING, parse, cluster });
}

const check = checker(BillingFile);

function parse(value: unknown): BillingFile {
  const file = requireValid(check(value));
  const names = new Set<string>();
  for (const { advertiser } of file.buyers) {
    if (names.has(advertiser)) throw new Error(`"${advertiser}" appears twice in the buyers`);
    names.add(advertiser);
  }
  return file;
}

/** Who sells and who buys, as far as it is set. */
export interface Parties {
  readonly seller?: Seller | undefined;
  /** Absent: the advertiser has no billing details. */
  readonly buyer?: Buyer | undefined;
}

/** Returns the parties to an advertiser's invoices. Names are compared exactly, as those of accounts. */
export function partiesOf({ seller, buyers }: BillingFile, advertiser: string): Parties {
  return { seller, buyer: buyers.find((buyer) => buyer.advertiser === advertiser) };
}

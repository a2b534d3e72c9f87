import { suggestNames } from '../../domain/names.js';
import type { BillingFile, Buyer, Seller } from './billing-file.js';

/** Fields to set; null: to empty. Absent fields stay as they are. */
type Change<Party> = { readonly [Field in keyof Party]?: Party[Field] | null };
export type SellerChange = Change<Seller>;
export type BuyerChange = Change<Omit<Buyer, 'advertiser'>>;

/** Billing details are incomplete or do not exist; the message says what is missing. */
export class BillingChangeError extends Error {
  override readonly name = 'BillingChangeError';
}

/** Sets who sells. @throws BillingChangeError while name or address is missing */
export function setSeller(file: BillingFile, change: SellerChange): Seller {
  return (file.seller = complete({ ...file.seller, ...change }, 'the seller'));
}

/** Sets an advertiser's billing details; its name is the advertiser's by default. @throws BillingChangeError */
export function setBuyer(file: BillingFile, advertiser: string, change: BuyerChange): Buyer {
  const known = file.buyers.findIndex((each) => each.advertiser === advertiser);
  const before = file.buyers[known] ?? { advertiser, name: advertiser };
  const name = change.name === null ? advertiser : (change.name ?? before.name);
  const buyer = complete<Buyer>({ ...before, ...change, name }, `"${advertiser}"`);
  if (known === -1) file.buyers.push(buyer);
  else file.buyers[known] = buyer;
  return buyer;
}

/** Removes who sells. @throws BillingChangeError if nobody is set */
export function unsetSeller(file: BillingFile): void {
  if (file.seller === undefined) throw new BillingChangeError('no seller is set');
  delete file.seller;
}

/** Removes an advertiser's billing details. @throws BillingChangeError if it has none */
export function unsetBuyer(file: BillingFile, advertiser: string): void {
  const known = file.buyers.findIndex((each) => each.advertiser === advertiser);
  if (known === -1) {
    const names = file.buyers.map((each) => each.advertiser);
    throw new BillingChangeError(`"${advertiser}" has no billing details; ${suggestNames(advertiser, names)}`);
  }
  file.buyers.splice(known, 1);
}

function complete<Party extends Pick<Seller, 'name' | 'address'>>(fields: Change<Party>, whose: string): Party {
  const party = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as unknown as Party;
  const missing = (['name', 'address'] as const).filter((field) => party[field] === undefined);
  if (missing.length > 0)
    throw new BillingChangeError(`${whose} needs ${missing.map((name) => `--${name}`).join(', ')}`);
  return party;
}

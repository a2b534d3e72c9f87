import type { Party } from '../domain/party.js';
import type { Format } from '../invoice/formats.js';
import type { IssuedInvoice } from '../invoice/issued-invoices.js';
import type { OwnQuery } from './own-report.js';
import { ReportsBusyError, type ReportThread } from './report-thread.js';
import type { OwnPage } from './report-worker.js';

/** A period and its dimensions: all that a request may choose. */
export type OwnChoice = Pick<OwnQuery, 'by' | 'from' | 'to'>;

/** The ledger as one party may see it. Whose it is, is no parameter. @throws like `ReportThread` */
export interface OwnFigures {
  readonly party: Party;
  /** Returns some of a report's rows. @param page from 1 */
  page(choice: OwnChoice, page: number, perPage: number): Promise<OwnPage>;
  /** Returns a report as text in UTF-8. */
  text(choice: OwnChoice, format: 'csv' | 'json'): Promise<Uint8Array>;
  /** Lists the closed months' invoices, latest first; none for a publisher. */
  invoices(): Promise<readonly IssuedInvoice[]>;
  /** Returns the stored invoice of a month such as 202611; null: there is none. */
  invoice(month: number, format: Format): Promise<string | null>;
}

/** Returns the figures of a party, for the holder of an access token. */
export type OwnFiguresOf = (party: Party, tokenId: string) => OwnFigures;

/** Reports at once for one token: parties must not keep the operator waiting for theirs. */
const MAX_AT_ONCE = 4;

export function createOwnFigures(
  reports: Pick<ReportThread, 'ownPage' | 'ownText' | 'issuedInvoices' | 'issuedInvoice'>,
): OwnFiguresOf {
  const running = new Map<string, number>();
  return (party, tokenId) => {
    const inTurn = async <T>(ask: () => Promise<T>): Promise<T> => {
      const others = running.get(tokenId) ?? 0;
      if (others >= MAX_AT_ONCE) throw new ReportsBusyError('too many reports at once');
      running.set(tokenId, others + 1);
      try {
        return await ask();
      } finally {
        const left = running.get(tokenId)! - 1;
        if (left === 0) running.delete(tokenId);
        else running.set(tokenId, left);
      }
    };
    const advertiser = party.kind === 'advertiser' ? party.name : null;
    return {
      party,
      page: ({ by, from, to }, page, perPage) =>
        inTurn(() => reports.ownPage({ query: { party, by, from, to }, page, perPage })),
      text: ({ by, from, to }, format) => inTurn(() => reports.ownText({ query: { party, by, from, to }, format })),
      invoices: async () => (advertiser === null ? [] : inTurn(() => reports.issuedInvoices(advertiser))),
      invoice: async (month, format) =>
        advertiser === null ? null : inTurn(() => reports.issuedInvoice({ advertiser, month, format })),
    };
  };
}

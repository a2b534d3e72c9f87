import { accountKey } from '../domain/account.js';
import type { Calendar } from '../../models/time/calendar.js';
import { openForReading } from '../ledger/database.js';
import { createSpendTable } from '../ledger/spend.js';
import type { Spent } from './spending.js';

/**
 * What campaigns have spent, read from the ledger's file beside a server that writes it.
 *
 * @throws LedgerRefusedError for a file of another version
 */
export function readSpent(file: string, calendar: Calendar, now: number): (campaign: string) => Spent {
  const database = openForReading(file);
  try {
    const accounts = createSpendTable(database.defaultSafeIntegers(false), calendar).read(now);
    const spent = new Map(accounts.map((account) => [accountKey(account), account]));
    return (campaign) => spent.get(accountKey({ campaign, creative: '' })) ?? { total: 0, today: 0 };
  } finally {
    database.close();
  }
}

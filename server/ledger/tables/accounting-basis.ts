import { type LedgerDatabase, LedgerRefusedError, queries } from './ledger-database.js';
import { ROLL_UPS_VERSION } from './roll-ups.js';

/** The currency of a ledger's micros and the time zone of its days. */
export interface AccountingBasis {
  readonly currency: string;
  readonly timeZone: string;
}

/**
 * Stores the currency and time zone. Once the ledger has counted something, or another server has it open, refuses any
 * that differ from those stored: amounts in two currencies cannot be added up, and days counted in one time zone cannot
 * be converted to another.
 *
 * @throws LedgerRefusedError naming the setting
 */
export function storeAccountingBasis(database: LedgerDatabase, { currency, timeZone }: AccountingBasis): void {
  const stored = readAccountingBasis(database);
  const empty = database.run(queries.selectFrom('counters').select('grain').limit(1)).length === 0;
  if (stored !== undefined && (!empty || database.isShared())) {
    refuseOther('CURRENCY', currency, stored.currency);
    refuseOther('TIME_ZONE', timeZone, stored.timeZone);
    return;
  }
  const values = [
    { name: 'currency', value: currency },
    { name: 'time_zone', value: timeZone },
  ];
  for (const { name, value } of values) writeValue(database, name, value);
}

/** @returns undefined before a server has opened the ledger */
export function readAccountingBasis(database: LedgerDatabase): AccountingBasis | undefined {
  const rows = database.run(queries.selectFrom('installation').selectAll());
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  const [currency, timeZone] = [settings.get('currency'), settings.get('time_zone')];
  return currency === undefined || timeZone === undefined ? undefined : { currency, timeZone };
}

/** Returns whether the roll-ups follow this release's rules. */
export function rollUpsAreCurrent(database: LedgerDatabase): boolean {
  return Number(readValue(database, 'roll_ups')) === ROLL_UPS_VERSION;
}

export function writeRollUpsVersion(database: LedgerDatabase): void {
  writeValue(database, 'roll_ups', String(ROLL_UPS_VERSION));
}

/**
 * Returns the start of the first day (epoch milliseconds) from which all raw events and minutes are kept; 0: all are
 * kept.
 */
export function readKeptFrom(database: LedgerDatabase): number {
  return Number(readValue(database, 'kept_from') ?? 0);
}

/**
 * Returns the moment (epoch milliseconds) from which on the events of an ad served are certainly all stored. An event
 * of an ad served earlier may have been counted and deleted. Never later than `readKeptFrom`, since an event is dated
 * no earlier than its ad.
 */
export function readIssuedFrom(database: LedgerDatabase): number {
  return Number(readValue(database, 'issued_from') ?? readKeptFrom(database));
}

export function writeKeptFrom(database: LedgerDatabase, moment: number, issuedFrom = moment): void {
  writeValue(database, 'kept_from', String(moment));
  writeValue(database, 'issued_from', String(issuedFrom));
}

/** Returns the ledger clock's mark, epoch milliseconds: time has certainly passed that far. Null if none is stored. */
export function readClockMark(database: LedgerDatabase): number | null {
  const mark = readValue(database, 'clock');
  return mark === undefined ? null : Number(mark);
}

/** @param moment null: the next process that opens the ledger trusts the machine's clock */
export function writeClockMark(database: LedgerDatabase, moment: number | null): void {
  if (moment === null) database.run(queries.deleteFrom('installation').where('name', '=', 'clock'));
  else writeValue(database, 'clock', String(moment));
}

function readValue(database: LedgerDatabase, name: string): string | undefined {
  return database.run(queries.selectFrom('installation').select('value').where('name', '=', name))[0]?.value;
}

function writeValue(database: LedgerDatabase, name: string, value: string): void {
  database.run(
    queries
      .insertInto('installation')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  );
}

function refuseOther(setting: string, wanted: string, stored: string): void {
  if (wanted === stored) return;
  throw new LedgerRefusedError(
    `${setting} is ${wanted}, but this ledger has counted in ${stored}: set ${setting}=${stored}, or use a new DATA_DIR`,
  );
}

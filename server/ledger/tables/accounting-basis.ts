import { type LedgerDatabase, LedgerRefusedError, queries } from './ledger-database.js';
import { ROLL_UPS_VERSION } from './roll-ups.js';

/** What a ledger's numbers mean: the currency of its micros and the time zone of its days. */
export interface Installation {
  readonly currency: string;
  readonly timeZone: string;
}

/**
 * Writes down the installation's currency and time zone with its first events, and refuses others afterwards, or while
 * other servers are about to count by what is written down: sums of two currencies mean nothing, and days that were counted in one zone cannot be converted to another.
 *
 * @throws LedgerRefusedError naming the setting
 */
export function fixInstallation(database: LedgerDatabase, { currency, timeZone }: Installation): void {
  const stored = readInstallation(database);
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
export function readInstallation(database: LedgerDatabase): Installation | undefined {
  const rows = database.run(queries.selectFrom('installation').selectAll());
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  const [currency, timeZone] = [settings.get('currency'), settings.get('time_zone')];
  return currency === undefined || timeZone === undefined ? undefined : { currency, timeZone };
}

/** Whether the roll-ups were summed up by this release's rules. An empty ledger's are. */
export function rollUpsAreCurrent(database: LedgerDatabase): boolean {
  return Number(readValue(database, 'roll_ups')) === ROLL_UPS_VERSION;
}

export function writeRollUpsVersion(database: LedgerDatabase): void {
  writeValue(database, 'roll_ups', String(ROLL_UPS_VERSION));
}

/** From which moment on (epoch milliseconds, a day's start) all raw events and minutes are kept; 0: all of them. */
export function readKeptFrom(database: LedgerDatabase): number {
  return Number(readValue(database, 'kept_from') ?? 0);
}

/**
 * From which moment on ads were answered whose events are surely all there, epoch milliseconds: an event of an earlier ad
 * may have been counted and deleted. At most `readKeptFrom`, since an event is dated no earlier than its ad.
 */
export function readIssuedFrom(database: LedgerDatabase): number {
  return Number(readValue(database, 'issued_from') ?? readKeptFrom(database));
}

export function writeKeptFrom(database: LedgerDatabase, moment: number, issuedFrom = moment): void {
  writeValue(database, 'kept_from', String(moment));
  writeValue(database, 'issued_from', String(issuedFrom));
}

/** Until when time has surely passed, epoch milliseconds; null before a server of this release has written anything. */
export function readClockMark(database: LedgerDatabase): number | null {
  const mark = readValue(database, 'clock');
  return mark === undefined ? null : Number(mark);
}

/** @param moment null: the machine's clock is believed when the ledger is opened next */
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
    `${setting} is ${wanted}, but this ledger has counted in ${stored}: set ${setting}=${stored}, or begin another DATA_DIR`,
  );
}

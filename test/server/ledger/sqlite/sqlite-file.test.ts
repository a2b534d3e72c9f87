import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { readdirSync, readlinkSync } from 'node:fs';
import { openForReading, openForWriting } from '../../../../server/ledger/database.js';
import { LedgerRefusedError } from '../../../../server/ledger/tables/ledger-database.js';
import { temporaryLedger, type TemporaryLedger } from '../temporary-ledger.js';

describe('a ledger’s file', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => {
    temporary = temporaryLedger();
  });
  afterEach(() => temporary.remove());

  for (const [version, fault] of [
    [99, 'of a newer release'],
    [1, 'of an older release, to be read'],
    [0, 'that no server has opened yet, to be read'],
  ] as const) {
    it(`${fault} is not kept open`, function () {
      if (process.platform !== 'linux') this.skip();
      openForWriting(temporary.location, 0).close();
      const file = new Sqlite(temporary.file);
      file.pragma(`user_version = ${version}`);
      file.close();
      if (version === 0) openForReading(temporary.location).close();
      else expect(() => openForReading(temporary.location)).to.throw(LedgerRefusedError);
      if (version === 99) expect(() => openForWriting(temporary.location, 0)).to.throw(LedgerRefusedError);
      expect(openFiles().filter((each) => each.startsWith(temporary.dataDir))).to.deep.equal([]);
    });
  }
});

/** Returns the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // It was that of this listing.
      return [];
    }
  });
}

import { writeSync } from 'node:fs';
import type { LedgerLocation } from '../../../server/ledger/database.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

// Records events until it is killed, and prints each event's number once it is acknowledged.
const [place, first] = process.argv.slice(2);
const database = JSON.parse(place!) as LedgerLocation;
const ledger = await createLedger({ database, currency: 'USD', timeZone: 'UTC' });
const claims = testClaims();

async function recordEvery(begin: number, step: number): Promise<void> {
  for (let number = begin; ; number += step) {
    await ledger.record({ kind: 'click', id: testDigest(number), claims, at: Date.now() });
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, (_, lane) => recordEvery(Number(first) + lane, 20)));

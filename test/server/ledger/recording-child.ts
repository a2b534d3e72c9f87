import { writeSync } from 'node:fs';
import type { LedgerLocation } from '../../../server/ledger/database.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { madeClaims, madeDigest } from '../../support/made-claims.js';

// Records events until it is killed, and prints each event's number once it is acknowledged.
const [place, first] = process.argv.slice(2);
const database = JSON.parse(place!) as LedgerLocation;
const ledger = await createLedger({ database, currency: 'USD', timeZone: 'UTC' });
const claims = madeClaims();

async function recordEvery(begin: number, step: number): Promise<void> {
  for (let number = begin; ; number += step) {
    await ledger.record({ kind: 'click', id: madeDigest(number), claims, at: Date.now() });
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, (_, lane) => recordEvery(Number(first) + lane, 20)));

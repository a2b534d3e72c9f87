import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openForReading, type LedgerLocation } from '../../../server/ledger/database.js';
import { rowsOf, STORES, temporaryLedgerIn, type TemporaryLedger } from './temporary-ledger.js';

const child = fileURLToPath(new URL('recording-child.js', import.meta.url));

for (const store of STORES) {
  describe(`the ledger of a killed process in ${store}`, () => {
    let temporary: TemporaryLedger;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    it('holds every acknowledged event, with sums that agree', async () => {
      const acknowledged: string[] = [];
      for (let round = 0; round < 3; round++) {
        acknowledged.push(...(await killWhileRecording(temporary.location, 1_000_000 * round, 300)));
      }
      const database = openForReading(temporary.location);
      const ids = new Set(
        rowsOf<{ id: Buffer }>(database, 'select id from events').map(({ id }) => id.toString('hex')),
      );
      const sums = "select sum(times) as n from counters where grain = 'day' and reason = ''";
      const [sum] = rowsOf<{ n: number }>(database, sums);
      database.close();
      const lost = acknowledged.filter((number) => !ids.has(Number(number).toString(16).padStart(32, '0')));
      expect(acknowledged).to.have.length.at.least(900);
      expect(lost).to.deep.equal([]);
      expect(sum?.n).to.equal(ids.size);
    });
  });
}

async function killWhileRecording(place: LedgerLocation, first: number, atLeast: number): Promise<string[]> {
  const recording = spawn(process.execPath, [child, JSON.stringify(place), String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of recording.stdout.setEncoding('utf8')) {
    output += chunk;
    if (output.split('\n').length > atLeast && !recording.killed) recording.kill('SIGKILL');
  }
  if (recording.exitCode === null && recording.signalCode === null) await once(recording, 'exit');
  expect(recording.signalCode).to.equal('SIGKILL');
  // The kill may have cut the last line short.
  return output.slice(0, output.lastIndexOf('\n')).split('\n');
}

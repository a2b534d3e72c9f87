import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { temporaryLedger, type TemporaryLedger } from './temporary-ledger.js';

const child = fileURLToPath(new URL('recording-child.js', import.meta.url));

describe('ledger of a process that is killed', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => {
    temporary = temporaryLedger();
  });
  afterEach(() => temporary.remove());

  it('holds every event that was acknowledged, and sums that agree with them', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      acknowledged.push(...(await killWhileRecording(temporary.file, 1_000_000 * round, 300)));
    }
    const database = new Sqlite(temporary.file);
    const ids = new Set(database.prepare<[], string>('select hex(id) from events').pluck().all());
    const sum = database.prepare("select sum(times) from counters where grain = 'day' and reason = ''").pluck().get();
    database.close();
    const lost = acknowledged.filter((number) => !ids.has(Number(number).toString(16).toUpperCase().padStart(32, '0')));
    expect(acknowledged).to.have.length.at.least(900);
    expect(lost).to.deep.equal([]);
    expect(sum).to.equal(ids.size);
  });
});

async function killWhileRecording(file: string, first: number, atLeast: number): Promise<string[]> {
  const recording = spawn(process.execPath, [child, file, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of recording.stdout.setEncoding('utf8')) {
    output += chunk;
    if (output.split('\n').length > atLeast && !recording.killed) recording.kill('SIGKILL');
  }
  if (recording.exitCode === null && recording.signalCode === null) await once(recording, 'exit');
  expect(recording.signalCode).to.equal('SIGKILL');
  // A line cut short by the kill was not printed whole.
  return output.slice(0, output.lastIndexOf('\n')).split('\n');
}

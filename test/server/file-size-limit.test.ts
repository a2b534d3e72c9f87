import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { API } from '../../server/domain/urls.js';
import { eventually } from '../support/eventually.js';
import { Installation } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('a server at its file size limit', function () {
  this.timeout(60_000);
  const installation = new Installation(temporaryDirectory());
  after(async () => {
    await installation.end();
    rmSync(installation.dataDir, { recursive: true });
  });

  it('reports it and keeps serving, and counts again once the limit is lifted', async () => {
    const { origin, child } = await installation.serve();
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`]);
    const faults = async (): Promise<string> => (await fetch(`${origin}/readyz`)).text();
    limit('1');
    await fetch(`${origin}${API}/beacon`);
    await eventually(async () => expect(await faults()).to.include('ledger'), 20_000);
    limit('unlimited');
    await eventually(async () => expect(await faults()).to.not.include('ledger'), 20_000);
    expect(child.signalCode).to.equal(null);
  });
});

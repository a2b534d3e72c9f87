import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Ad } from '../../models/schema/ad.js';
import { SPOOL_FILE } from '../../server/events/event-spool.js';
import { LEDGER_FILE } from '../../server/ledger/database.js';
import { eventually } from '../support/eventually.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const TEXT = 'Waterproof hiking boots for long days in the hills.';

/** A real server that is killed while another process locks its ledger. */
describe('a click while the ledger is locked', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  const adjacent = new Installation(dataDir);
  after(async () => {
    await adjacent.end();
    await rm(folder, { recursive: true });
  });

  it('is redirected, survives a kill, and is counted once at the next start', async () => {
    await adjacent.run('indexer/main.js', writeFeed(folder, [feedRow('boots', { name: 'Boots', text: TEXT })]));
    const key = await adjacent.createKey('--publisher', 'Chat');
    await adjacent.run('server/commands/keys/main.js', 'set', '--publisher', 'Chat', '--floor', '0');
    const { origin, child } = await adjacent.serve();
    const ad = (await (await match(origin, key, `User: ${TEXT}`)).json()) as Ad;
    expect((await fetch(ad.impressionUrl)).status).to.equal(200);

    const holder = new Sqlite(path.join(dataDir, LEDGER_FILE));
    holder.exec('begin immediate');
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(ad.targetUrl, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, 'https://shop.example/boots']);
    }
    // The redirect comes after a quarter of a second even if the disk takes longer.
    await eventually(() => expect(readFileSync(path.join(dataDir, SPOOL_FILE), 'utf8')).to.match(/"click".*\n/));
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    holder.close();

    await adjacent.serve();
    await eventually(() => expect(existsSync(path.join(dataDir, SPOOL_FILE))).to.equal(false), 20_000);
    const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', '');
    const { total } = JSON.parse(out) as { total: { clicks: number; ignored: Record<string, number> } };
    expect([total.clicks, total.ignored['repeated'], total.ignored['lost']]).to.deep.equal([1, 0, 0]);
    expect(await adjacent.run('server/commands/ledger/main.js', 'check')).to.include('agree');
  });
});

import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.js';
import { LEDGER_FILE, openForReading } from '../../server/ledger/database.js';
import { Installation } from '../support/installation.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { firstDifference } from './agreement.js';
import { simulate, type Simulated } from './simulate.js';

describe('a simulated month', function () {
  this.timeout(300_000);
  const dataDir = temporaryDirectory();
  const config = readConfig({ PROFILE: 'fast' }, ['--data-dir', dataDir]);
  const decisions = process.env['CI'] === undefined ? 300 : 1000;
  const events = 40_000;
  let simulated: Simulated;

  before(async () => {
    await copySampleIndex(dataDir);
    const wanted = { decisions, events, days: 9, seed: 3, dataDir, port: 0, url: undefined };
    simulated = await simulate(wanted, config, () => undefined);
  });
  after(() => rm(dataDir, { recursive: true }));

  const figure = (wanted: string): number => simulated.totals.find(([name]) => name === wanted)![2];

  it('is reported as in its own books, to the micro', () => {
    expect(simulated.difference).to.equal(null);
    expect(simulated.books.events).to.be.at.least(events);
    expect(figure('spend')).to.be.greaterThan(0);
    for (const [name, books, report] of simulated.totals) expect(report, name).to.equal(books);
  });

  it('has every outcome that people, crawlers and budgets can cause', () => {
    const outcomes = [
      'repeated',
      'head',
      'prefetch',
      'crawler',
      'expired',
      'rapid',
      'no-impression',
      'wrong-creative',
      'invalid',
      'missing',
    ];
    for (const reason of [...outcomes, 'over-budget']) expect(figure(`ignored.${reason}`), reason).to.be.greaterThan(0);
    for (const reason of ['below-floor', 'not-eligible'])
      expect(figure(`noFills.${reason}`), reason).to.be.greaterThan(0);
  });

  it('adds to a ledger that already has events of another simulation', async () => {
    const small = ['--data-dir', dataDir, '--decisions', '30', '--events', '500', '--days', '2', '--seed', '4'];
    const out = await new Installation(dataDir).run('test/simulate/main.js', ...small);
    expect(out).to.contain('books and report agree').and.to.contain(`DATA_DIR=${dataDir} npm start`);
  });

  it('reports the figures that differ from its books', () => {
    const database = openForReading({ file: join(dataDir, LEDGER_FILE) });
    expect(firstDifference(simulated.books, database, config)).to.match(
      /: [\w.-]+ is \d+ in the books and \d+ in the report$/,
    );
    database.close();
  });
});

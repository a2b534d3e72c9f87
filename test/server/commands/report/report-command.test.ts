import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { testCreative, publishTestSnapshot } from '../../../support/test-snapshot.js';
import { temporaryLedger, type TemporaryLedger } from '../../ledger/temporary-ledger.js';

const main = fileURLToPath(new URL('../../../../server/commands/report/main.js', import.meta.url));
const claims = testClaims({ campaign: null, advertiser: null });

describe('npm run report', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => {
    temporary = temporaryLedger();
  });
  afterEach(() => temporary.remove());

  const run = (...argv: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [main, '--data-dir', temporary.dataDir, ...argv],
        { cwd: temporary.dataDir },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });

  it('gives the same result with and without a running server', async () => {
    const ledger = await temporary.open();
    for (const number of [1, 2, 3]) {
      await ledger.record({
        kind: 'impression',
        id: testDigest(number),
        claims,
        at: Date.UTC(2026, 10, 21),
      });
    }
    const beside = await run('--by', 'day,creative', '--format', 'json');
    await ledger.close();
    const without = await run('--by', 'day,creative', '--format', 'json');
    expect(beside).to.deep.include({ code: 0, err: '' });
    expect(without).to.deep.equal(beside);
    expect(JSON.parse(without.out).rows).to.have.length(1);
    expect(JSON.parse(without.out).rows[0]).to.include({
      day: '2026-11-21',
      creative: 'mower-1',
      impressions: 3,
      spend: '0.007500',
    });
  });

  it('prints a table by day by default', async () => {
    const ledger = await temporary.open();
    ledger.countDecision({
      publisher: 'p',
      test: false,
      result: { filled: false, reason: 'sensitive' },
      at: Date.UTC(2026, 10, 21),
    });
    await ledger.close();
    const { code, out } = await run();
    expect(code).to.equal(0);
    expect(out)
      .to.match(/day .*decisions.*\n/)
      .and.match(/2026-11-21 .* 1 /)
      .and.include('no ad: sensitive 1');
  });

  it('names an unknown publisher or creative and similar ones instead of an empty report', async () => {
    const ledger = await temporary.open();
    await ledger.record({ kind: 'impression', id: testDigest(1), claims, at: Date.UTC(2026, 10, 21) });
    await ledger.close();
    await publishTestSnapshot(temporary.dataDir, [
      testCreative('mower-2', { campaign: 'Spring', advertiser: 'Green' }),
    ]);
    for (const [argv, message] of [
      [['--publisher', 'Garden Caht'], 'there is no publisher "Garden Caht"; near it: "Garden Chat"\n'],
      [['--creative', 'mower'], 'there is no creative "mower"; near it: "mower-1", "mower-2"\n'],
      [['--campaign', 'Spring', '--campaign', 'Sprung'], 'there is no campaign "Sprung"; near it: "Spring"\n'],
      [['--advertiser', 'Blue'], 'there is no advertiser "Blue"; known: "Green"\n'],
    ] as const) {
      expect(await run(...argv)).to.deep.equal({ code: 1, out: '', err: message });
    }
    const known = ['--publisher', 'Garden Chat', '--campaign', '', '--creative', 'mower-1', '--creative', 'mower-2'];
    expect(await run(...known, '--format', 'csv')).to.deep.include({ code: 0, err: '' });
  });

  it('writes a file instead of printing', async () => {
    const ledger = await temporary.open();
    await ledger.record({ kind: 'impression', id: testDigest(1), claims, at: Date.UTC(2026, 10, 21) });
    await ledger.close();
    const file = path.join(temporary.dataDir, 'report.csv');
    const printed = await run('--format', 'csv');
    expect(await run('--format', 'csv', '--out', file)).to.deep.equal({ code: 0, out: '', err: '' });
    expect(readFileSync(file, 'utf8')).to.equal(printed.out);
  });

  it('reports an empty ledger before the first start, and creates no file', async () => {
    const { code, out } = await run();
    expect(code).to.equal(0);
    expect(out).to.include('No decisions or events');
    expect((await run('--format', 'json')).out).to.include('"rows": []');
  });

  it('exits with 2 and names its help if an argument is wrong', async () => {
    const wrong = [
      ['--by', 'week'],
      ['--format', 'xml'],
      ['--from', 'monday'],
      ['--nonsense'],
      ['stray'],
      ['--time-zone', 'Nowhere/Land'],
    ];
    for (const argv of wrong) {
      const { code, out, err } = await run(...argv);
      expect(code, argv.join(' ')).to.equal(2);
      expect(out).to.equal('');
      expect(err)
        .to.include('See npm run report -- --help')
        .and.include(argv.at(-1)!.replace('--nonsense', 'nonsense'));
    }
  });
});

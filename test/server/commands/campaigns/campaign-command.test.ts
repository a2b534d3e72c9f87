import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { campaigns as command } from '../../../../server/commands/campaigns/command.js';
import type { ListedCampaign } from '../../../../server/campaigns/list-campaigns.js';
import { takedownStore } from '../../../../server/takedown/takedown-file.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { testCreative, publishTestSnapshot } from '../../../support/test-snapshot.js';
import { temporaryLedger } from '../../ledger/temporary-ledger.js';

const MAIN = fileURLToPath(new URL('../../../../server/commands/campaigns/main.js', import.meta.url));

/** Runs the built command in its own process, on a real snapshot and ledger. */
describe('npm run campaigns', function () {
  this.timeout(60_000);
  let temporary: ReturnType<typeof temporaryLedger>;
  beforeEach(() => void (temporary = temporaryLedger()));
  afterEach(() => rmSync(temporary.dataDir, { recursive: true, force: true }));

  const campaigns = (...args: string[]) => {
    const env = { ...process.env, DATA_DIR: temporary.dataDir, TIME_ZONE: 'Europe/Berlin', CURRENCY: 'EUR' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const listed = () => (JSON.parse(campaigns('list', '--json').stdout) as { campaigns: ListedCampaign[] }).campaigns;
  const stored = () =>
    (JSON.parse(readFileSync(join(temporary.dataDir, 'campaigns.json'), 'utf8')) as { campaigns: unknown }).campaigns;

  it('lists the feed’s campaigns, their overrides and their spend', async () => {
    const pricing = { model: 'cpm', micros: 2_000_000 } as const;
    const fields = { campaign: 'Spring', advertiser: 'Green', pricing, budgetMicros: 9_000_000 };
    await publishTestSnapshot(temporary.dataDir, [
      testCreative('a', fields),
      testCreative('b', fields),
      testCreative('c'),
    ]);
    const ledger = await temporary.open({ timeZone: 'Europe/Berlin', currency: 'EUR' });
    const claims = testClaims({ creative: 'a', pricing, issuedAt: Date.now() });
    await ledger.record({ kind: 'impression', id: testDigest(1), claims, at: Date.now() });
    await ledger.close();

    expect(campaigns('list').stdout)
      .to.include('Spring')
      .and.include('cpm 2.00')
      .and.include('EUR')
      .and.not.include('*');
    const { status, stdout } = campaigns(
      'set',
      'Spring',
      '--budget',
      '12.50',
      '--pacing',
      'even',
      '--cap',
      '3/24h',
      '--ends',
      '2099-01-31',
    );
    expect(status).to.equal(0);
    expect(stdout).to.include('12.50 *').and.include('even *').and.include('set by command');
    const [spring, ...others] = listed();
    expect(others).to.deep.equal([]);
    expect(spring).to.deep.include({
      name: 'Spring',
      advertiser: 'Green',
      pricing,
      budgetMicros: 12_500_000,
      dailyBudgetMicros: null,
      creatives: 2,
      pacing: 'even',
      state: 'running',
      spentMicros: 2000,
      spentTodayMicros: 2000,
      startsAt: null,
      endsAt: '2099-01-30T23:00:00.000Z',
      frequencyCap: { ads: 3, hours: 24 },
    });
    expect(spring?.set).to.have.members(['budgetMicros', 'pacing', 'frequencyCap', 'endsAt']);
    // An impression costs 2,000 micros.
    expect(campaigns('set', 'Spring', '--budget', '3999micros').stdout).to.include('budget-spent');
    expect(campaigns('set', 'Spring', '--budget', '4000micros').stdout).to.include('running');
    expect(campaigns('unset', 'Spring').status).to.equal(0);
    expect(listed()[0]).to.deep.include({ budgetMicros: 9_000_000, pacing: 'asap', set: [] });
  });

  it('lists a campaign as taken down once all its creatives are, and names its sources', async () => {
    const fields = { campaign: 'Spring', advertiser: 'Green' };
    await publishTestSnapshot(temporary.dataDir, [
      testCreative('a', { ...fields, source: 'partner' }),
      testCreative('b', fields),
    ]);
    const takeDown = (id: string) =>
      takedownStore(temporary.dataDir).change(({ creatives }) => {
        creatives.push({ id, reason: null, at: '2026-11-29T00:00:00Z', images: [] });
      });
    await takeDown('a');
    expect(listed()[0]).to.deep.include({ state: 'running', creatives: 2, takenDown: 1, sources: ['partner'] });
    expect(campaigns('list').stdout).to.include('running').and.include('(1 taken down)');
    await takeDown('b');
    expect(listed()[0]).to.deep.include({ state: 'taken-down', takenDown: 2 });
    expect(campaigns('set', 'Spring', '--budget', '5').stdout).to.include('taken-down');
    expect(campaigns('set', 'Spring', '--pause').stdout).to.include('paused');
  });

  it('lists no campaigns for an empty catalogue', async () => {
    await publishTestSnapshot(temporary.dataDir, []);
    expect(campaigns('list', '--json')).to.deep.include({ status: 0 });
    expect(listed()).to.deep.equal([]);
  });

  it('reads a bare number as units of the currency', () => {
    campaigns('set', 'New', '--new', '--cpc', '1', '--budget', '100');
    expect(stored()).to.have.deep.nested.property('[0].budgetMicros', 100_000_000);
    expect(stored()).to.have.deep.nested.property('[0].pricing', { model: 'cpc', micros: 1_000_000 });
  });

  it('makes the report name the fields that were set', () => {
    const report = (...args: string[]) => {
      const env = { ...process.env, DATA_DIR: temporary.dataDir };
      const main = fileURLToPath(new URL('../../../../server/commands/report/main.js', import.meta.url));
      return spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' }).stdout;
    };
    expect(report()).to.not.include('Set by command');
    campaigns('set', 'New', '--new', '--budget', '5.00', '--pause');
    expect(report()).to.include('Set by command').and.include('New (budgetMicros, paused)');
    const { setByCommand } = JSON.parse(report('--format', 'json')) as { setByCommand: unknown };
    expect(setByCommand).to.deep.equal([{ campaign: 'New', fields: ['budgetMicros', 'paused'] }]);
  });

  it('keeps earlier settings, reads none as no limit, and warns about a campaign that no creative names', () => {
    expect(campaigns('set', 'New', '--new', '--cpc', '0.25', '--daily-budget', '5000000micros').stderr).to.include(
      'no creative',
    );
    expect(campaigns('set', 'New', '--budget', 'none', '--pause').status).to.equal(0);
    expect(stored()).to.deep.equal([
      {
        name: 'New',
        pricing: { model: 'cpc', micros: 250_000 },
        dailyBudgetMicros: 5_000_000,
        budgetMicros: null,
        paused: true,
      },
    ]);
    expect(listed()[0]).to.deep.include({ state: 'paused', creatives: 0 });
    campaigns('set', 'New', '--resume');
    expect(listed()[0]).to.deep.include({ state: 'no-creatives' });
    expect(statSync(join(temporary.dataDir, 'campaigns.json')).mode & 0o777).to.equal(0o600);
  });

  it('refuses an unknown campaign or advertiser, unless --new is given', async () => {
    const fields = { campaign: 'Spring sale', advertiser: 'Green & Co' };
    await publishTestSnapshot(temporary.dataDir, [
      testCreative('a', fields),
      testCreative('b', { campaign: 'Winter' }),
    ]);
    for (const [args, message] of [
      [['spring sal', '--pause'], 'there is no campaign "spring sal"; near it: "Spring sale"'],
      [['Xylophones', '--pause'], 'there is no campaign "Xylophones"; known: "Spring sale", "Winter"'],
      [['Winter', '--advertiser', 'Green & Go'], 'there is no advertiser "Green & Go"; near it: "Green & Co"'],
    ] as const) {
      const { status, stdout, stderr } = campaigns('set', ...args);
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.include(message).and.include('--new');
    }
    expect(existsSync(join(temporary.dataDir, 'campaigns.json'))).to.equal(false);
    expect(campaigns('set', 'spring sal', '--pause', '--new').status).to.equal(0);
    // After --new, the names are known.
    expect(campaigns('set', 'spring sal', '--resume').status).to.equal(0);
  });

  it('asks for the advertiser if two have a campaign of that name, and changes only that one', async () => {
    const [green, blue] = ['Green & Co', 'Blue'].map((advertiser) =>
      testCreative(advertiser[0]!, { campaign: 'Spring sale', advertiser }),
    );
    await publishTestSnapshot(temporary.dataDir, [green!, blue!]);
    const { status, stderr } = campaigns('set', 'Spring sale', '--pause');
    expect(status).to.equal(1);
    expect(stderr).to.include(
      'several advertisers have a campaign "Spring sale"; --of says whose: "Green & Co", "Blue"',
    );
    expect(campaigns('set', 'Spring sale', '--of', 'Green & Go', '--pause').stderr).to.include('near it: "Green & Co"');
    expect(campaigns('set', 'Spring sale', '--of', 'Green & Co', '--pause').status).to.equal(0);
    expect(listed().map(({ of, state }) => [of, state])).to.deep.equal([
      ['Blue', 'running'],
      ['Green & Co', 'paused'],
    ]);
    expect(campaigns('unset', 'Spring sale', '--of', 'Green & Co').status).to.equal(0);
    expect(stored()).to.deep.equal([]);
  });

  it('refuses a payer that already pays for another campaign of the name', async () => {
    const rows = ['Green', 'Blue'].map((advertiser) => testCreative(advertiser, { campaign: 'Spring', advertiser }));
    await publishTestSnapshot(temporary.dataDir, rows);
    const pay = (of: string, advertiser: string) =>
      campaigns('set', 'Spring', '--of', of, '--advertiser', advertiser, '--new');
    expect(pay('Green', 'Blue').stderr).to.include('"Blue" pays for the campaign "Spring" of "Blue" already');
    expect(pay('Green', 'Agency').status).to.equal(0);
    expect(pay('Blue', 'Agency')).to.deep.include({ status: 1, stdout: '' });
    expect(stored()).to.deep.equal([{ name: 'Spring', of: 'Green', advertiser: 'Agency' }]);
    expect(pay('Blue', 'Green').status).to.equal(0);
    expect(campaigns('unset', 'Spring', '--of', 'Green').stderr).to.include('of "Blue" already');
  });

  it('applies what an earlier release set for a name to each advertiser that has it', async () => {
    const rows = ['Green', 'Blue'].map((advertiser) => testCreative(advertiser, { campaign: 'Spring', advertiser }));
    await publishTestSnapshot(temporary.dataDir, rows);
    const file = join(temporary.dataDir, 'campaigns.json');
    writeFileSync(file, '{"version":1,"campaigns":[{"name":"Spring","paused":true,"budgetMicros":5}]}');
    expect(listed().map(({ state }) => state)).to.deep.equal(['paused', 'paused']);
    expect(campaigns('set', 'Spring', '--of', 'Blue', '--resume').status).to.equal(0);
    expect(stored()).to.deep.equal([
      { name: 'Spring', of: 'Green', paused: true, budgetMicros: 5 },
      { name: 'Spring', of: 'Blue', paused: false, budgetMicros: 5 },
    ]);
  });

  it('warns about what even pacing requires', () => {
    expect(campaigns('set', 'New', '--new', '--budget', '5.00', '--pacing', 'even').stderr).to.include(
      'nothing to divide',
    );
    expect(campaigns('set', 'New', '--ends', '30d').stderr).to.not.include('nothing to divide');
  });

  const misunderstood: readonly (readonly [message: string, ...args: string[]])[] = [
    ['a command is missing'],
    ['fly is not a command', 'fly'],
    ['the campaign is missing', 'set', '--pause'],
    ['put an argument that contains spaces in quotes', 'set', 'Two', 'words', '--pause'],
    ['nothing to set', 'set', 'New'],
    ['exclude each other', 'set', 'New', '--cpm', '1.00', '--cpc', '1.00'],
    ['exclude each other', 'set', 'New', '--pause', '--resume'],
    ['--cpm must be a multiple of 1,000', 'set', 'New', '--cpm', '1500micros'],
    ['--cpc must be at most', 'set', 'New', '--cpc', '1000001.00'],
    ['--budget must be an amount', 'set', 'New', '--budget=-5'],
    ['--budget must be an amount', 'set', 'New', '--budget', '1.2345678'],
    ['--budget must be an amount', 'set', 'New', '--budget', '12,50'],
    ['--daily-budget must be an amount', 'set', 'New', '--daily-budget', '9999999999999999'],
    ['--pacing must be even or asap', 'set', 'New', '--pacing', 'slow'],
    ['--cap must be such as 3/24h', 'set', 'New', '--cap', '3'],
    ['--cap must be such as 3/24h', 'set', 'New', '--cap', '3/999h'],
    ['--ends must be', 'set', 'New', '--ends', '2026-02-30'],
    ["Unknown option '--colour'", 'set', 'New', '--colour', 'red'],
  ];
  for (const [message, ...args] of misunderstood) {
    it(`exits with 2 and names its help on the arguments "${args.join(' ')}"`, async () => {
      let [out, err] = ['', ''];
      const argv = args.length === 0 ? [] : [...args, '--data-dir', temporary.dataDir];
      const code = await runCommand(command, argv, {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      expect(err)
        .to.include(message)
        .and.match(/^.+\nSee npm run campaigns -- --help\n$/);
      expect({ code, out }).to.deep.equal({ code: 2, out: '' });
    });
  }

  it('refuses an end before the start, unsetting what is not set, and a damaged file, and changes nothing', () => {
    campaigns('set', 'New', '--new', '--starts', '2098-01-01');
    const before = stored();
    expect(campaigns('set', 'New', '--ends', '2097-01-01')).to.deep.include({ status: 1 });
    expect(campaigns('unset', 'Old').stderr).to.include('nothing is set for "Old"; campaigns list');
    expect(campaigns('unset', 'new').stderr).to.include('near it: "New"');
    expect(stored()).to.deep.equal(before);
    writeFileSync(join(temporary.dataDir, 'campaigns.json'), '{"version":1,"campaigns":[{"name":"x","colour":"red"}]}');
    expect(campaigns('list')).to.deep.include({ status: 1 });
    expect(campaigns('list').stderr).to.include('campaigns.json').and.include('colour');
  });
});

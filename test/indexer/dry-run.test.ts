import { expect } from 'chai';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockCatalogue } from '../../models/snapshot/catalogue-lock.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('npm run index -- --dry-run', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const tried = (file: string, ...flags: string[]) => runCommand('main', dataDir, file, '--dry-run', ...flags);

  it('prints what a run would change, writes nothing, and waits for no other indexer', async () => {
    const [boots, tea] = [feedRow('boots', { advertiser: 'Fellwalk', countries: ['GB'] }), feedRow('tea')];
    await runCommand('main', dataDir, writeFeed(folder, [boots, tea, feedRow('cup')]));
    const before = { pointer: await readPointer(dataDir), files: readdirSync(dataDir, { recursive: true }) };
    const paid = { ...boots, campaign: 'Autumn', pricing: { model: 'cpc' }, price: '0.35' };
    const file = writeFeed(folder, [paid, tea, feedRow('pot', { language: 'en' })]);
    const lock = await lockCatalogue(dataDir, () => undefined);
    const { code, stdout, stderr } = await tried(file).finally(() => lock.release());
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout)
      .to.match(/^Checking: 3 rows of JSON Lines, 3 valid rows/)
      .and.match(/^Nothing was published \(--dry-run\)\. A run would change, in source default:$/m)
      .and.match(/^ {2}new +1 {2}pot \(line 3\)$/m)
      .and.match(/^ {2}changed +1 {2}boots \(line 1\)$/m)
      .and.match(/^ {2}unchanged +1$/m)
      .and.match(/^ {2}removed +1 {2}cup$/m)
      .and.match(/^ {2}languages: English 3 \(1 declared\)/m)
      .and.match(/^ {2}countries: 1 only for readers in GB/m)
      .and.match(/Fellwalk .* Autumn .* 0\.35 per click/)
      .and.not.match(/Embedding|Waiting|Published/);
    expect({ pointer: await readPointer(dataDir), files: readdirSync(dataDir, { recursive: true }) }).to.deep.equal(
      before,
    );
  });

  it('exits with 1 for faults, after the changes of the valid rows, with mapping and --set', async () => {
    const file = path.join(folder, 'products.csv');
    writeFileSync(file, 'id,title,description,link\na,Boots,Light.,https://shop.example/a\nb,Tea,Green.,shop\n');
    const flags = ['--mapping', 'google', '--set', 'advertiser=Hill & Dale', '--source', 'hill'];
    const { code, stdout, stderr } = await tried(file, ...flags);
    expect(code).to.equal(1);
    expect(stderr)
      .to.match(/products\.csv:3: landingUrl \(link\): /)
      .and.match(/refused for 1 fault; nothing was/);
    expect(stdout)
      .to.match(/^ {2}new +1 {2}a \(line 2\)$/m)
      .and.include('new to source hill: “Hill & Dale”');
    expect((await tried(file, ...flags, '--skip-invalid')).code).to.equal(0);
    expect(existsSync(dataDir)).to.equal(false);
  });

  it('exits with 1 for a feed that would remove an advertiser, and shows what removing a source would', async () => {
    await runCommand('main', dataDir, writeFeed(folder, [feedRow('boots', { advertiser: 'Fellwalk' })]));
    const { code, stderr } = await tried(writeFeed(folder, [feedRow('tea')]));
    expect(code).to.equal(1);
    expect(stderr).to.include('1 advertiser would be removed: “Fellwalk”');
    const removal = await runCommand('main', dataDir, '--source', 'default', '--remove', '--dry-run');
    expect(removal.code).to.equal(0);
    expect(removal.stdout).to.match(/^ {2}removed +1 {2}boots$/m);
    expect(await readPointer(dataDir)).to.have.length(1);
  });
});

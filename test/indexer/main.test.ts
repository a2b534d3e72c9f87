import { expect } from 'chai';
import { actorText, commandActor } from '../../models/audit/actor.js';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLandingUrls } from '../../models/snapshot/landing-urls.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { feedRow, feedRows, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { PNG } from '../support/png.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('npm run index', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const index = (rows: readonly unknown[], ...flags: string[]) =>
    runCommand('main', dataDir, writeFeed(folder, rows), ...flags);

  it('publishes a valid feed with its images, and prints a summary', async () => {
    writeFileSync(path.join(folder, 'a.png'), PNG);
    const { code, stdout, stderr } = await index([feedRow('a', { image: 'a.png' }), feedRow('b')], '--name', 'first');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Checking: 2 rows of JSON Lines, 2 valid rows/m);
    // Images come first: a changed one must end the run before hours of embedding.
    expect(stdout).to.match(/^Images: 1 .*\nEmbedding: 2 embedded, 0 reused/m);
    expect(stdout).to.match(/^Recall: recall@10 against exact search: 1\.000/m);
    const [id] = await readPointer(dataDir);
    const directory = path.join(dataDir, 'snapshots', id!);
    expect(readdirSync(directory).toSorted()).to.deep.equal([
      'creatives.jsonl',
      'graph.hnsw',
      'manifest.json',
      'vectors.f32',
    ]);
    const manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).to.include({ id, name: 'first', formatVersion: 1 });
    const [creative] = readFileSync(path.join(directory, 'creatives.jsonl'), 'utf8').split('\n');
    const { imageFile } = JSON.parse(creative!) as { imageFile: string };
    expect(readFileSync(path.join(dataDir, 'images', imageFile))).to.deep.equal(PNG);
  });

  it('says which of its two encoders embeds', async () => {
    const { stdout } = await index([feedRow('a')], '--languages', 'all');
    expect(stdout).to.match(/^Embedding: 1 embedded, .*\nEmbedding for other languages: 1 embedded, /m);
  });

  it('embeds only new and changed creatives, and prints what changed', async () => {
    await index(feedRows(6));
    const [, , ...rest] = feedRows(6);
    const next = [
      feedRow('fresh'),
      { ...rest[0], text: 'Another text.' },
      { ...rest[1], landingUrl: 'https://new.example/' },
      ...rest.slice(2),
      {},
    ];
    const { code, stdout } = await index(next, '--skip-invalid');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Embedding: 2 embedded, 3 reused/m);
    expect(stdout).to.match(/^ {2}new +1 {2}fresh \(line 1\)$/m);
    expect(stdout).to.match(/^ {2}changed +2 {2}item-2 \(line 2\), item-3 \(line 3\)$/m);
    expect(stdout).to.match(/^ {2}unchanged +2$/m);
    expect(stdout).to.match(/^ {2}removed +2 {2}item-0, item-1$/m);
    expect(stdout).to.match(/^ {2}skipped +1 {2}line 6$/m);
  });

  it('reports declared and detected languages, and publishes an unchanged feed as the same snapshot', async () => {
    const German = { name: 'Schuhe für die Berge', text: 'Leicht, wasserdicht und neu besohlt.' };
    const rows = [
      ...feedRows(3),
      feedRow('a', German),
      feedRow('b', { ...German, name: 'Stiefel für die Berge', language: 'de-AT' }),
      feedRow('c', { language: 'fr' }),
      feedRow('d', { name: 'W-500', text: '42' }),
    ];
    const { code, stdout } = await index(rows);
    expect(code).to.equal(0);
    expect(stdout).to.include(
      '\n  languages: English 3 (detected), German 2 (1 declared), French 1 (declared), not detected 1\n',
    );
    const [first] = await readPointer(dataDir);
    for (const same of [rows, rows.toReversed()]) {
      const again = await index(same);
      expect(again.stdout)
        .to.include(`Published ${first} (the same as before)`)
        .and.match(/^ {2}unchanged +7$/m);
    }
    const declared = await index([...rows.slice(1), { ...rows[0], language: 'en' }]);
    expect(declared.stdout)
      .to.match(/^ {2}changed +1 {2}item-0 \(line 7\)$/m)
      .and.include('English 3 (1 declared)');
  });

  it('says how many creatives are only for certain countries', async () => {
    const rows = feedRows(4);
    for (const [at, countries] of [['GB'], ['de', 'GB'], ['UK']].entries()) Object.assign(rows[at]!, { countries });
    const { stdout } = await index(rows);
    expect(stdout).to.include(
      '\n  countries: 3 only for readers in GB 3, DE 1; shown where a request or COUNTRY_HEADER',
    );
    expect((await index(feedRows(4))).stdout).to.not.include('countries:');
  });

  it('reuses the vectors of any kept snapshot', async () => {
    await index(feedRows(3, 'old'));
    await index(feedRows(3, 'other'));
    const { stdout } = await index(feedRows(3, 'old'));
    expect(stdout).to.match(/^Embedding: 0 embedded, 3 reused/m);
  });

  it('writes the same bytes for the same input, except builtAt', async () => {
    const feed = writeFeed(folder, feedRows(30));
    const contents = async (data: string) => {
      await runCommand('main', data, feed);
      const directory = path.join(data, 'snapshots', (await readPointer(data))[0]!);
      return readdirSync(directory).map((file) => {
        const bytes = readFileSync(path.join(directory, file));
        return [
          file,
          file === 'manifest.json' ? bytes.toString().replace(/"builtAt": ".*"/, '') : bytes.toString('hex'),
        ];
      });
    };
    expect(await contents(dataDir)).to.deep.equal(await contents(path.join(folder, 'again')));
  });

  it('publishes nothing if the feed has a fault, and exits with 1', async () => {
    const { code, stderr } = await index([feedRow('a'), feedRow('b', { name: '' })]);
    expect(code).to.equal(1);
    expect(stderr).to.include('feed.jsonl:2: name: must not be blank');
    expect(stderr).to.include('--skip-invalid');
    expect(await readPointer(dataDir)).to.deep.equal([]);
  });

  it('publishes the valid rows with --skip-invalid', async () => {
    const { code, stderr } = await index([feedRow('a'), feedRow('b', { name: '' })], '--skip-invalid');
    expect(code).to.equal(0);
    expect(stderr).to.include('feed.jsonl:2: name: must not be blank');
  });

  it('skips a row that is null like any other invalid row', async () => {
    const { code, stderr } = await index([null, feedRow('a')], '--skip-invalid');
    expect(stderr).to.include('feed.jsonl:1: must be object');
    expect(code).to.equal(0);
  });

  it('refuses a feed without a valid row, or with less than half of the live creatives, unless --allow-shrink is given', async () => {
    const empty = await index([]);
    expect(empty.code).to.equal(1);
    expect(empty.stderr).to.include('no valid row');
    await index(feedRows(4));
    const before = await readPointer(dataDir);
    const shrunk = await index(feedRows(1));
    expect(shrunk.code).to.equal(1);
    expect(shrunk.stderr).to.include('less than half of the 4 creatives that are live');
    expect(await readPointer(dataDir)).to.deep.equal(before);
    expect((await index(feedRows(2))).code).to.equal(0);
    expect((await index([], '--allow-shrink')).code).to.equal(0);
  });

  it('exits with 2 and names its help for a wrong argument, and with 1 if the feed cannot be read', async () => {
    for (const wrong of [
      [],
      ['a', 'b'],
      ['a', '--bogus'],
      ['a', '--workers', 'many'],
      ['a', '--time-zone', 'Mars/Olympus'],
      ['a', '--model', 'none'],
    ]) {
      const { code, stderr } = await runCommand('main', dataDir, ...wrong);
      expect(code, wrong.join(' ')).to.equal(2);
      expect(stderr).to.match(/See npm run index -- --help|WORKERS must|TIME_ZONE must|MODEL/);
    }
    const { code, stderr } = await runCommand('main', dataDir, path.join(folder, 'absent.jsonl'));
    expect(code).to.equal(1);
    expect(stderr).to.include('cannot be read');
  });

  it('keeps the last five snapshots, and the landing URLs of removed ones', async () => {
    for (let round = 0; round < 6; round++) await index([feedRow(`only-${round}`)]);
    expect(readdirSync(path.join(dataDir, 'snapshots'))).to.have.length(5);
    const { creatives } = await readLandingUrls(dataDir);
    expect([...creatives.keys()]).to.have.members(Array.from({ length: 6 }, (_, at) => `only-${at}`));
    expect(creatives.get('only-0')!.leftAt).to.be.a('string');
    expect(creatives.get('only-1')!.leftAt).to.equal(null);
  });

  it('removes the half-written files of an interrupted run', async () => {
    mkdirSync(path.join(dataDir, 'snapshots/.building-abc'), { recursive: true });
    const { stdout } = await index(feedRows(1));
    expect(stdout).to.include('Removed 1 half-written');
    expect(readdirSync(path.join(dataDir, 'snapshots'))).to.have.length(1);
  });
}).timeout(90_000);

describe('npm run snapshots and npm run rollback', () => {
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  let ids: readonly string[];
  before(async function () {
    this.timeout(60_000);
    for (const name of ['one', 'two', 'three']) {
      await runCommand('main', dataDir, writeFeed(folder, [feedRow(name)]), '--name', name);
    }
    ids = await readPointer(dataDir);
  });
  after(() => rmSync(folder, { recursive: true }));

  const names = async (): Promise<string[]> => {
    const { stdout } = await runCommand('snapshots', dataDir);
    return [...stdout.matchAll(/│ [0-9a-f]{16} │ (\S+) .*│ (live|    ) │/g)].map(([, name, live]) =>
      `${name} ${live}`.trim(),
    );
  };

  it('list the kept snapshots, the live one first', async () => {
    expect(await names()).to.deep.equal(['three live', 'two', 'one']);
  });

  it('roll back to the previous snapshot, then to the one before, and then no further', async () => {
    expect((await runCommand('rollback', dataDir)).code).to.equal(0);
    expect((await names())[0]).to.equal('two live');
    expect((await runCommand('rollback', dataDir)).stdout).to.match(
      new RegExp(`^Live now: ${ids[2]}, “one” of [\\dT:.-]+Z with 1 creative: default 1\n$`),
    );
    const { code, stderr } = await runCommand('rollback', dataDir);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: 'there is no earlier snapshot to go back to\n' });
  });

  it('list what was live from when until when, how and by whom', async () => {
    const { stdout } = await runCommand('snapshots', dataDir);
    const [, history = ''] = stdout.split('What was live:');
    const rows = history
      .split('\n')
      .flatMap((line) => (line.startsWith('│') ? [line.split('│').map((cell) => cell.trim())] : []));
    const me = actorText(commandActor());
    expect(rows.slice(1).map(([, , , , name, creatives, how, by]) => [name, creatives, how, by])).to.deep.equal([
      ['one', '1', 'rollback', me],
      ['two', '1', 'rollback', me],
      ['three', '1', 'publish', me],
      ['two', '1', 'publish', me],
      ['one', '1', 'publish', me],
    ]);
    const [until, from] = [rows.slice(1).map((row) => row[2]), rows.slice(1).map((row) => row[1])];
    expect(until).to.deep.equal(['now', ...from.slice(0, -1)]);
    expect(stdout).to.not.include('never');
  });

  it('switch to a named snapshot, even to a later one', async () => {
    expect((await runCommand('rollback', dataDir, ids[0]!)).code).to.equal(0);
    expect((await readPointer(dataDir))[0]).to.equal(ids[0]);
  });

  it('refuse a snapshot that does not exist or is damaged, and keep the live one', async () => {
    expect((await runCommand('rollback', dataDir, '../..')).stderr).to.include('there is no snapshot');
    writeFileSync(path.join(dataDir, 'snapshots', ids[1]!, 'vectors.f32'), 'x');
    const { code, stderr } = await runCommand('rollback', dataDir, ids[1]!);
    expect(code).to.equal(1);
    expect(stderr).to.include('vectors.f32 is cut short');
    expect((await readPointer(dataDir))[0]).to.equal(ids[0]);
  });
}).timeout(90_000);

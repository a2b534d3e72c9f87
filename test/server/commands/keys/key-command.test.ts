import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testCreative, publishTestSnapshot } from '../../../support/test-snapshot.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { isKeyShaped, keyDigest } from '../../../../server/keys/key.js';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { keys as command } from '../../../../server/commands/keys/command.js';
import { createKeyVerifier } from '../../../../server/keys/verify-key.js';
import { keyStore } from '../../../../server/keys/key-file.js';

const MAIN = fileURLToPath(new URL('../../../../server/commands/keys/main.js', import.meta.url));

describe('npm run keys', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const keys = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const argv = args.length === 0 ? [] : [...args, '--data-dir', dataDir];
    const code = await runCommand(command, argv, {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    });
    return { code, out, err, last: out.trimEnd().split('\n').at(-1)! };
  };
  /** Runs the command in a separate process, as npm does. */
  const keysProcess = async (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, DATA_DIR: dataDir } });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += String(data)));
    child.stderr.on('data', (data) => (err += String(data)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err, last: out.trimEnd().split('\n').at(-1) ?? '' };
  };
  const check = async (key: string, now = Date.now(), origin?: string) =>
    createKeyVerifier(await keyStore(dataDir).read())(key, origin, now);
  const listed = async () =>
    (JSON.parse((await keys('list', '--json')).out) as { keys: Record<string, unknown>[] }).keys;

  it('create prints the key alone on the last line, and stores only its digest', async () => {
    const { code, last } = await keysProcess('create', '--publisher', 'Chat GmbH');
    expect(code).to.equal(0);
    expect(last).to.match(/^pub_[0-9A-Za-z]{36}$/);
    expect(isKeyShaped(last)).to.equal(true);
    const stored = readFileSync(join(dataDir, 'keys.json'), 'utf8');
    expect(stored).to.include(keyDigest(last)).and.not.include(last);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).to.equal(0o600);
    expect(await check(last)).to.deep.include({ valid: true, requestsPerMinute: null });
  });

  it('create limits a key to origins, requests and a time, and marks test keys', async () => {
    const args = [
      '--test',
      '--origin',
      'https://A.example/',
      'https://b.example',
      '--expires',
      '2h',
      '--requests-per-minute',
      '60',
    ];
    const { last } = await keys('create', '--publisher', 'P', ...args);
    expect(await check(last, Date.now(), 'https://a.example')).to.deep.include({ valid: true, requestsPerMinute: 60 });
    expect(await check(last, Date.now(), 'https://b.example')).to.have.nested.property('publisher.test', true);
    expect(await check(last, Date.now())).to.deep.equal({ valid: false, fault: 'wrong-origin' });
    const later = Date.now() + 3 * 3_600_000;
    expect(await check(last, later, 'https://b.example')).to.deep.equal({ valid: false, fault: 'expired' });
  });

  it('create and mode set whose events count, and rotation keeps it', async () => {
    const { last } = await keys('create', '--publisher', 'P', '--mode', 'browser');
    expect(await check(last)).to.deep.include({ valid: true, mode: 'browser' });
    const [{ id, mode } = {}] = await listed();
    expect(mode).to.equal('browser');
    expect(await check((await keys('rotate', String(id))).last)).to.deep.include({ mode: 'browser' });
    expect((await keys('mode', String(id), 'server')).out).to.equal(
      `${String(id)} is for browsers, apps and servers\n`,
    );
    expect(await check(last)).to.deep.include({ mode: 'server' });
    expect(await check((await keys('create', '--publisher', 'P')).last)).to.deep.include({ mode: 'server' });
    for (const wrong of [
      ['create', '--publisher', 'P', '--mode', 'x'],
      ['mode', String(id)],
      ['mode', String(id), 'x'],
    ]) {
      const { code, err } = await keys(...wrong);
      expect([code, err]).to.satisfy(
        ([ended, text]: [number, string]) => ended === 2 && text.includes('mode must be one of server, browser'),
      );
    }
    expect((await keys('mode', 'key_nope', 'browser')).code).to.equal(1);
  });

  it('create makes a key with origins a browser key, and says so, unless --mode is given', async () => {
    const origin = 'https://a.example';
    const create = (...args: string[]) => keys('create', '--publisher', 'P', '--origin', origin, ...args);
    const made = await create();
    expect(await check(made.last, Date.now(), origin)).to.deep.include({ valid: true, mode: 'browser' });
    expect(made.out).to.include('for browsers only');
    const [{ id } = {}] = await listed();
    expect((await keys('list')).out).to.match(/│ browser +│/);
    const successor = (await keys('rotate', String(id))).last;
    expect(await check(successor, Date.now(), origin)).to.deep.include({ mode: 'browser' });
    const server = await create('--mode', 'server');
    expect(await check(server.last, Date.now(), origin)).to.deep.include({ valid: true, mode: 'server' });
    expect(server.out).to.not.include('browsers');
  });

  for (const name of ['Ålesund «Chat» 🛶', '__proto__', 'constructor', "O'Neill & Söhne", '株式会社', 'שלום', '--x']) {
    it(`accepts a publisher called ${name}`, async () => {
      const { last, code } = await keys('create', `--publisher=${name}`);
      expect(code).to.equal(0);
      expect(await check(last)).to.have.nested.property('publisher.name', name.normalize('NFC'));
      expect((await keys('list')).out).to.include(name);
    });
  }

  it('treats a composed and a decomposed name as the same publisher', async () => {
    await keys('create', '--publisher', 'Caf\u00e9');
    await keys('create', '--publisher', 'Cafe\u0301');
    expect((await keyStore(dataDir).read()).publishers).to.have.length(1);
  });

  it('rotate creates a new key with the same rights; the old one stays valid for the overlap', async () => {
    const first = (await keys('create', '--publisher', 'P', '--origin', 'https://a.example')).last;
    const id = String((await listed())[0]?.['id']);
    const second = (await keys('rotate', id, '--overlap', '1h')).last;
    const origin = 'https://a.example';
    expect(await check(first, Date.now(), origin)).to.have.property('valid', true);
    expect(await check(second, Date.now(), origin)).to.have.property('valid', true);
    expect(await check(second)).to.deep.equal({ valid: false, fault: 'wrong-origin' });
    const later = Date.now() + 3_700_000;
    expect(await check(first, later, origin)).to.deep.equal({ valid: false, fault: 'expired' });
    expect(await check(second, later, origin)).to.have.property('valid', true);
  });

  it('rotate overlaps by a day by default, and never postpones an expiry', async () => {
    await keys('create', '--publisher', 'P');
    await keys('rotate', String((await listed())[0]?.['id']));
    expect(Date.parse(String((await listed())[0]?.['expiresAt']))).to.be.within(
      Date.now() + 86_000_000,
      Date.now() + 86_400_000,
    );
    const { last } = await keys('create', '--publisher', 'Q', '--expires', '1h');
    await keys('rotate', String((await listed()).at(-1)?.['id']));
    expect(await check(last, Date.now() + 3_700_000)).to.have.property('valid', false);
  });

  it('rotate works once per key, and afterwards names its successor', async () => {
    await keys('create', '--publisher', 'P');
    const id = String((await listed())[0]?.['id']);
    expect((await keys('rotate', id)).code).to.equal(0);
    const next = String((await listed())[1]?.['id']);
    const { code, err, out } = await keys('rotate', id);
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.include(`${id} was rotated already; rotate ${next}, or create a new key`);
    expect(await listed()).to.have.length(2);
  });

  it('deactivate ends a key at once; such a key cannot be rotated', async () => {
    const { last } = await keys('create', '--publisher', 'P');
    const id = String((await listed())[0]?.['id']);
    expect((await keys('deactivate', id)).code).to.equal(0);
    expect(await check(last)).to.deep.equal({ valid: false, fault: 'deactivated' });
    const rotated = await keys('rotate', id);
    expect(rotated.code).to.equal(1);
    expect(rotated.err).to.include('deactivated');
  });

  it('set changes only the given settings of a publisher', async () => {
    const { last } = await keys('create', '--publisher', 'P');
    await keys(
      'set',
      '--publisher',
      'P',
      '--floor',
      '0.7',
      '--block-category',
      'gambling',
      '--block-category',
      'alcohol',
      '--new',
    );
    const { out } = await keys('set', '--publisher', 'P', '--block-advertiser', 'Rival & Co', '--new');
    expect(out)
      .to.match(/^In force for all keys of P:\n/)
      .and.match(/│ P +│ 0\.7 +│ gambling +│ Rival & Co +│ - +│ - +│/);
    expect(await check(last)).to.have.deep.property('publisher', {
      name: 'P',
      test: false,
      floor: 0.7,
      blockedCategories: ['gambling', 'alcohol'],
      blockedAdvertisers: ['Rival & Co'],
      allowedTopics: [],
    });
    await keys('set', '--publisher', 'P', '--floor', 'default', '--block-category', '');
    expect((await keyStore(dataDir).read()).publishers[0])
      .to.include({ floor: null })
      .and.deep.include({ blockedCategories: [] });
  });

  it('set normalizes blocked names as feeds do: trimmed and composed', async () => {
    await keys('create', '--publisher', 'P');
    const advertisers = ['Cafe\u0301', '\u00a0'].flatMap((name) => ['--block-advertiser', name]);
    const set = await keys('set', '--publisher', 'P', '--block-category', ' Gambling ', ...advertisers, '--new');
    expect(set.code).to.equal(0);
    expect(JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')))
      .to.have.nested.property('publishers[0]')
      .that.deep.includes({ blockedCategories: ['Gambling'], blockedAdvertisers: ['Caf\u00e9'] });
  });

  it('set allows topics that the gate knows, and suggests topics near an unknown one', async () => {
    await keys('create', '--publisher', 'Garden Chat');
    expect(
      (await keys('set', '--publisher', 'Garden Chat', '--allow-topic', 'adult', '--allow-topic', 'war')).code,
    ).to.equal(0);
    const before = (await keyStore(dataDir).read()).publishers[0];
    expect(before?.allowedTopics).to.deep.equal(['adult', 'war']);
    const { code, err } = await keys('set', '--publisher', 'Garden Chat', '--allow-topic', 'Addictions');
    expect(code).to.equal(2);
    expect(err).to.include('there is no topic "Addictions"; near it: "addiction"');
    expect((await keys('--help')).out).to.include('suicide-self-harm, violence, war\n');
    expect((await keyStore(dataDir).read()).publishers[0]).to.deep.equal(before);
    expect((await keys('set', '--publisher', 'Garden Caht', '--floor', '0.5')).err).to.include(
      'there is no publisher "Garden Caht"; near it: "Garden Chat"; keys create',
    );
  });

  it('set accepts ads in other languages, and suggests languages near an unknown one', async () => {
    await keys('create', '--publisher', 'P');
    const set = (...tags: string[]) =>
      keys('set', '--publisher', 'P', ...tags.flatMap((tag) => ['--foreign-language', tag]));
    const stored = async () => (await keyStore(dataDir).read()).publishers[0]?.foreignLanguages;
    expect((await set('de-AT', 'PT', 'de', 'iw')).code).to.equal(0);
    expect(await stored()).to.deep.equal(['de', 'pt', 'he']);
    expect((await keys('list')).out)
      .to.include('foreign languages')
      .and.match(/│ de +│/);
    for (const [wrong, near] of [
      ['germn', 'there is no language "germn"; near it: "de" (German)'],
      ['xx', 'there is no language "xx"; known: "ar", "de", "en"'],
      ['d', 'there is no language "d"; near it: "de"'],
    ] as const) {
      const { code, err } = await set('fr', wrong);
      expect(code).to.equal(2);
      expect(err).to.include(`--foreign-language: ${near}`);
    }
    expect(await stored()).to.deep.equal(['de', 'pt', 'he']);
    expect((await set('')).code).to.equal(0);
    expect(await stored()).to.deep.equal([]);
  });

  const misused: string[][] = [
    [],
    ['destroy'],
    ['create'],
    ['create', '--publisher', '  '],
    ['create', '--publisher', 'a\u0007b'],
    ['create', '--publisher', 'P', '--colour', 'red'],
    ['create', '--publisher', 'P', 'Q'],
    ['create', '--publisher', 'P', '--origin', 'example.com'],
    ['create', '--publisher', 'P', '--origin', 'https://a.example/path'],
    ['create', '--publisher', 'P', '--expires', 'soon'],
    ['create', '--publisher', 'P', '--expires', '2001-01-01'],
    ['create', '--publisher', 'P', '--expires', '2099-02-30'],
    ['create', '--publisher', 'P', '--requests-per-minute', '0'],
    ['rotate'],
    ['rotate', 'key_1', '--overlap', 'long'],
    ['deactivate', 'key_1', 'key_2'],
    ['set', '--publisher', 'P'],
    ['set', '--publisher', 'P', '--floor', '2'],
  ];
  it('exits with 2, names its help and changes nothing on wrong arguments', async () => {
    for (const args of misused) {
      const { code, err, out } = await keys(...args);
      expect(code, args.join(' ')).to.equal(2);
      expect(err).to.match(/^.+\nSee npm run keys -- --help\n$/);
      expect(out).to.equal('');
    }
    expect(readdirSync(dataDir)).to.deep.equal([]);
  });

  it('exits with its exit code', async () => {
    expect((await keysProcess('destroy')).code).to.equal(2);
    expect((await keysProcess('deactivate', 'key_none')).code).to.equal(1);
  });

  it('set refuses to block unknown names and suggests names near them, unless --new is given', async () => {
    await keys('create', '--publisher', 'P');
    await publishTestSnapshot(dataDir, [testCreative('a', { advertiser: 'Greenhof', categories: ['Garden'] })]);
    const set = (...args: string[]) => keys('set', '--publisher', 'P', ...args);
    for (const [option, name, near] of [
      ['--block-category', 'Gardn', 'there is no category "Gardn"; near it: "Garden"'],
      ['--block-advertiser', 'Greenhoff', 'there is no advertiser "Greenhoff"; near it: "Greenhof"'],
      ['--allow-topic', 'wars', 'there is no topic "wars"; near it: "war"'],
    ] as const) {
      const { code, err } = await set(option, name);
      expect([code === 0, err]).to.satisfy(([done, text]: [boolean, string]) => !done && text.includes(near), err);
    }
    expect((await keyStore(dataDir).read()).publishers[0]).to.deep.include({
      blockedCategories: [],
      allowedTopics: [],
    });
    expect((await set('--block-category', 'garden', '--block-advertiser', 'GREENHOF')).code).to.equal(0);
    expect((await set('--block-category', 'Gardn', '--new')).code).to.equal(0);
    // After --new, the name is known.
    expect((await set('--block-category', 'Garden', '--block-category', 'Gardn')).code).to.equal(0);
  });

  it('create suggests the origin that was probably meant', async () => {
    for (const [given, meant] of [
      ['shop.example', 'https://shop.example'],
      ['localhost:3000', 'http://localhost:3000'],
      ['https://shop.example/chat', 'https://shop.example'],
    ]) {
      const { code, err } = await keys('create', '--publisher', 'P', '--origin', given!);
      expect([code, err.split('\n')[0]]).to.deep.equal([
        2,
        `--origin must be an origin such as https://example.com, not ${given}; did you mean ${meant}?`,
      ]);
    }
  });

  it('exits with 1 for an unknown key or publisher', async () => {
    expect((await keys('deactivate', 'key_none')).code).to.equal(1);
    expect((await keys('set', '--publisher', 'Nobody', '--floor', '0.5')).code).to.equal(1);
  });

  it('refuses a damaged file by name, and does not change it', async () => {
    for (const damage of ['{"version":1,"keys":[', '{"version":2,"publishers":[],"keys":[]}', '[]', '']) {
      writeFileSync(join(dataDir, 'keys.json'), damage);
      const { code, err } = await keys('create', '--publisher', 'P');
      expect(code).to.equal(1);
      expect(err).to.include('keys.json cannot be used');
      expect(readFileSync(join(dataDir, 'keys.json'), 'utf8')).to.equal(damage);
    }
  });

  it('loses no change when several processes run at once', async () => {
    const made = await Promise.all(
      ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => keysProcess('create', '--publisher', name)),
    );
    expect(made.map(({ code }) => code)).to.deep.equal([0, 0, 0, 0, 0, 0]);
    for (const { last } of made) expect(await check(last)).to.have.property('valid', true);
    expect(readdirSync(dataDir)).to.deep.equal(['audit.jsonl', 'keys.json']);
  });
});

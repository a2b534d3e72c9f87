import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../../server/config/settings.js';
import { USAGE } from '../../../server/config/usage.js';
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
/** The scripts that npm runs, without the set-up before them. */
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /node (?:--enable-source-maps )?(dist\/(?:server|indexer|test)\S+)$/.exec(script) ?? [];
  return file === undefined ? [] : ([[name, file]] as const);
});

/** Scripts that are not commands: the server, and those that create their own installations. */
const WITHOUT_INSTALLATION = new Set([
  'start',
  'bench',
  'torture',
  'mutate',
  'fuzz',
  'screenshots',
  'cluster',
  'scale',
]);

/** The minimal arguments of each other command. */
const LEAST: Readonly<Record<string, readonly string[]>> = {
  index: ['feed.jsonl'],
  snapshots: [],
  rollback: [],
  'fetch-model': ['name/of-a-model'],
  keys: ['list'],
  access: ['list'],
  'signing-keys': ['list'],
  campaigns: ['list'],
  creatives: ['list'],
  report: [],
  billing: ['list'],
  invoice: ['--advertiser', 'A', '--month', '2026-11'],
  corrections: ['void', '--kind', 'click', '--reason', 'x'],
  audit: [],
  ledger: ['rebuild'],
  move: ['--to', 'postgres://127.0.0.1:1/adjacent'],
  explain: ['User: hello'],
  replay: ['contexts.jsonl'],
  calibrate: ['contexts.jsonl'],
  eval: ['folder'],
  pictures: [],
  simulate: [],
};

describe('Every command', function () {
  this.timeout(30_000);
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const runWith = (settings: Readonly<Record<string, string>>, file: string, ...argv: string[]) => {
    const options = { cwd: folder, env: { ...process.env, ...settings }, encoding: 'utf8', timeout: 20_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [`${root}${file}`, ...argv], options);
    return { status, stdout, stderr };
  };
  /** Runs a command with invalid settings, so that it must exit before it does anything. */
  const run = (file: string, ...argv: string[]) => {
    const result = runWith({ DATA_DIR: folder, PORT: 'x', WORKERS: 'x' }, file, ...argv);
    expect(readdirSync(folder)).to.deep.equal([]);
    return result;
  };

  it('is listed in this test', () => {
    const named = commands.map(([name]) => name).filter((name) => !WITHOUT_INSTALLATION.has(name));
    expect(Object.keys(LEAST)).to.have.members(named);
  });

  for (const [name, file] of commands) {
    const called = name === 'start' ? 'npm start' : `npm run ${name}`;

    it(`prints usage, options and an example for ${called} --help, exits with 0 and does nothing`, () => {
      const { status, stdout, stderr } = run(file, '--help');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      const lines = stdout.split('\n');
      expect(lines[0]).to.match(new RegExp(`^Usage: ${called}( |$)`));
      expect(lines.filter((line) => line.startsWith(`Example: ${called}`))).to.have.length(1);
      expect(stdout, 'options').to.match(/^ {2}\S.* {2}\S/m);
      expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(130);
      if (name in LEAST) expect(stdout).to.match(/^ {2}--data-dir DIR {2}/m);
    });
  }

  for (const [name, file] of commands.filter(([name]) => name in LEAST)) {
    it(`exits with 2, the fault and where its help is when npm run ${name} is given an unknown option`, () => {
      const { status, stdout, stderr } = run(file, ...LEAST[name]!, '--no-such-option');
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr)
        .to.match(/^Unknown option '--no-such-option'/)
        .and.satisfy((text: string) => text.endsWith(`\nSee npm run ${name} -- --help\n`));
      expect(stderr.split('\n')).to.have.length(3);
    });

    it(`takes --data-dir and exits with 2, naming the setting, if npm run ${name} cannot use one`, () => {
      const { status, stdout, stderr } = run(file, ...LEAST[name]!, '--data-dir', folder);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.include('WORKERS must be a whole number').and.not.include('--help');
    });
  }

  describe('that fails', () => {
    const file = join(folder, 'data');
    before(() => {
      writeFileSync(file, 'a file, where the data directory should be');
      writeFileSync(join(folder, 'feed.jsonl'), '{"id":"a","name":"A","landingUrl":"https://shop.example/a"}\n');
      writeFileSync(join(folder, 'contexts.jsonl'), '{"context":"User: hello"}\n');
    });

    for (const [name, command] of commands.filter(([name]) => name in LEAST)) {
      it(`exits with 1 and the reason, without a stack trace, if the data directory of npm run ${name} is a file`, () => {
        const { status, stdout, stderr } = runWith({ WORKERS: '1' }, command, ...LEAST[name]!, '--data-dir', file);
        expect({ status, stdout }, stderr).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr)
          .to.include(file)
          .and.not.match(/^\s+at /m);
      });
    }
  });

  describe('given text that is not UTF-8', () => {
    /** The content of `$'…'` in a shell: an é in Latin-1. */
    const latin = String.raw`$'Caf\xe9'`;
    const runInShell = (line: string, name: string) => {
      const file = `${root}${Object.fromEntries(commands)[name]}`;
      const env = { ...process.env, DATA_DIR: join(folder, 'absent') };
      return spawnSync('bash', ['-c', line, process.execPath, file], { encoding: 'utf8', cwd: folder, env });
    };

    for (const [name, line] of [
      ['keys', `"$0" "$1" create --publisher ${latin}`],
      ['keys', `"$0" "$1" set --publisher Chat --block-category ${latin}`],
      ['campaigns', `"$0" "$1" set ${latin} --new --pause`],
      ['campaigns', `"$0" "$1" set Spring --new --advertiser=${latin}`],
      ['index', `"$0" "$1" feed.jsonl --name ${latin}`],
    ] as const) {
      it(`refuses it: npm run ${name} -- ${line.slice(10)}`, () => {
        const { status, stderr } = runInShell(line, name);
        expect(status).to.equal(2);
        expect(stderr).to.include('holds bytes that are not UTF-8');
        expect(existsSync(join(folder, 'absent'))).to.equal(false);
      });
    }

    it('refuses it as a setting, by name', () => {
      const { status, stderr } = runInShell(`CURRENCY=${latin} exec "$0" "$1" list`, 'campaigns');
      expect(status).to.equal(2);
      expect(stderr).to.include('CURRENCY holds bytes that are not UTF-8');
    });
  });

  it('finishes its work if nobody reads its output any more', () => {
    const dataDir = join(folder, 'unread');
    const file = `${root}${Object.fromEntries(commands)['keys']}`;
    const line = '"$0" "$1" create --publisher Chat | true; exit ${PIPESTATUS[0]}';
    const env = { ...process.env, DATA_DIR: dataDir };
    const { status, stderr } = spawnSync('bash', ['-c', line, process.execPath, file], { encoding: 'utf8', env });
    expect(stderr).to.equal('');
    expect(status).to.equal(0);
    expect(runWith({ DATA_DIR: dataDir }, file.slice(root.length), 'list').stdout).to.include('Chat');
  });

  it('prints no terminal control sequences from a catalogue', async () => {
    const dataDir = join(folder, 'hostile');
    const escape = '\u001b]0;owned\u0007\u001b[2J\u009b31m';
    await publishTestSnapshot(dataDir, [testCreative('a', { campaign: escape, advertiser: escape })], escape);
    const asked = { campaigns: ['list'], snapshots: [], invoice: ['--advertiser', 'A', '--month', '2026-11'] } as const;
    for (const [name, args] of Object.entries(asked)) {
      const { stdout, stderr } = runWith({ DATA_DIR: dataDir }, Object.fromEntries(commands)[name]!, ...args);
      expect(stdout + stderr, name)
        .to.include('[2J')
        .and.not.match(/(?!\n)\p{Cc}/u);
    }
  });

  it('has its settings listed by npm start --help, as options and as variables', () => {
    for (const { name } of SETTINGS) {
      const option = `--${name.toLowerCase().replaceAll('_', '-')}`;
      expect(USAGE).to.match(new RegExp(`^ {2}${option} .* ${name} +\\S.*\\(default: `, 'm'));
    }
  });
});

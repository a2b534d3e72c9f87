/**
 * Makes a fresh clone ready: packages, build, and (with `--index`) a first snapshot of the sample catalogue.
 * Plain JavaScript on Node alone, since nothing is installed yet when it runs. Each step is skipped when its
 * inputs have not changed since it last succeeded, so a second start takes seconds.
 *
 *   node server/setup.mjs [--quiet] [--index]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');
const NODE = [20, 19];

checkNode();
step({
  name: 'packages',
  doing: 'Installing packages and compiling the native ones (1 to 3 minutes the first time)',
  // The Node version counts, since native addons are compiled for one.
  inputs: ['package.json', 'package-lock.json'],
  outputs: ['node_modules/hnswlib-node/build/Release/addon.node', 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'],
  run: installPackages,
});
step({
  name: 'build',
  doing: 'Building the server and the browser script',
  inputs: ['package-lock.json', 'tsconfig.json', 'models', 'indexer', 'server', 'sdk', 'test'],
  outputs: ['dist/server/main.js', 'dist/sdk/public/adsdk.js'],
  run: () => npm(['run', '--silent', 'build'], 'The build failed; the lines above name the file. After a pull, try: rm -rf dist node_modules'),
});
if (process.argv.includes('--index')) indexSample();

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  fail(`Adjacent needs Node ${NODE.join('.')} or later; this is ${process.versions.node}. See https://nodejs.org`);
}

/** Runs `run` unless the digest of the inputs is the one that it last succeeded with and its outputs are there. */
function step({ name, doing, inputs, outputs, run }) {
  const mark = path.join(root, 'node_modules', `.adjacent-${name}`);
  const digest = digestOf(inputs);
  const done = existsSync(mark) && readFileSync(mark, 'utf8') === digest;
  if (done && outputs.every((output) => existsSync(path.join(root, output)))) return;
  const started = Date.now();
  say(`${doing} …`);
  rmSync(mark, { force: true });
  run();
  mkdirSync(path.dirname(mark), { recursive: true });
  writeFileSync(mark, digest);
  say(`  done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function installPackages() {
  npm(
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    'Installing failed. Adjacent needs the npm registry, Python 3, make and a C++ compiler ' +
      '(Debian: apt-get install python3 make g++; macOS: xcode-select --install). Then run the same command again.',
  );
}

function indexSample() {
  const dataDir = process.env.DATA_DIR ?? dotenv('DATA_DIR') ?? path.join(root, 'data');
  if (existsSync(path.join(dataDir, 'current'))) return;
  say('Indexing the sample catalogue, since there is no index yet …');
  node(['dist/indexer/main.js', 'indexer/sample/creatives.jsonl', '--name', 'sample'], 'Indexing the sample catalogue failed; the lines above say why.');
}

/** The one setting that set-up itself needs; the server reads `.env` properly. */
function dotenv(name) {
  const file = path.join(root, '.env');
  if (!existsSync(file)) return undefined;
  return new RegExp(`^${name}=["']?([^"'\\n]+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
}

function npm(args, advice) {
  const windows = process.platform === 'win32';
  // onnxruntime-node's install script would download GPU libraries; the CPU one lies in the package.
  run(windows ? 'npm.cmd' : 'npm', args, advice, { ONNXRUNTIME_NODE_INSTALL: 'skip' });
}

function node(args, advice) {
  run(process.execPath, args, advice, {});
}

function run(command, args, advice, env) {
  // The commands speak on standard error here: what a command prints on standard output is its result.
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  if (signal !== null) process.exit(130);
  if (status !== 0) fail(advice);
}

function digestOf(inputs) {
  const hash = createHash('sha256').update(process.version).update(process.arch);
  for (const input of inputs) addTo(hash, path.join(root, input));
  return hash.digest('hex');
}

/** Names, sizes and times, not contents: the model alone is 35 MB. Files that are only data do not count. */
function addTo(hash, file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    if (/\.(ts|js|mjs|json|html|css)$/.test(file)) hash.update(`${path.relative(root, file)} ${stats.size} ${stats.mtimeMs}\n`);
    return;
  }
  for (const entry of readdirSync(file).sort()) if (entry !== 'node_modules') addTo(hash, path.join(file, entry));
}

function say(line) {
  if (!quiet || !line.startsWith('  ')) process.stderr.write(`${line}\n`);
}

function fail(advice) {
  process.stderr.write(`\n${advice}\n`);
  process.exit(1);
}

/**
 * Prepares a fresh clone: installs packages and builds. Uses only Node's own modules, since no package is installed yet
 * when it runs. Skips each step whose inputs have not changed since it last succeeded, so a second start takes seconds.
 *
 *   node server/setup.mjs [--quiet]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');
const NODE = [20, 19];
const NATIVE = ['hnswlib-node/build/Release/addon.node', 'better-sqlite3/build/Release/better_sqlite3.node'];
const require = createRequire(import.meta.url);
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'platform',
  'models',
  'indexer',
  'server',
  'sdk',
  'test',
  'release',
];
const BUILT = path.join(root, 'dist', '.built-from');

checkNode();
const release = releaseHere();
if (release !== null) checkRelease(release);
else if (!installed()) {
  timed('Installing packages and compiling the native ones (1 to 3 minutes)', installPackages);
  checkAddons();
}
if (release === null && !built()) timed('Building the server and the browser script', build);

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  fail(`Adjacent needs Node ${NODE.join('.')} or later; this is ${process.versions.node}. See https://nodejs.org`);
}

/** Returns `release.json` of the unpacked release; null in a checkout. */
function releaseHere() {
  const file = path.join(root, 'release.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Requires that a release was made for this machine. It is already installed and built. */
function checkRelease({ platform, arch, node }) {
  if (platform === process.platform && arch === process.arch && NATIVE.every(loads)) return;
  fail(
    `This release was made for ${platform} ${arch} with Node ${node}; this is ${process.platform} ${process.arch} with ` +
      `Node ${process.versions.node}. Take the release for this machine, or build Adjacent from its repository.`,
  );
}

function timed(doing, run) {
  const started = Date.now();
  process.stderr.write(`${doing} …\n`);
  run();
  if (!quiet) process.stderr.write(`  done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

/** Whether the installed packages match the lock file and the native addons load in this Node. */
function installed() {
  const want = packagesIn('package-lock.json');
  const have = packagesIn('node_modules/.package-lock.json');
  const same = Object.entries(want).every(
    ([name, { version, optional }]) => name === '' || optional || have[name]?.version === version,
  );
  return same && NATIVE.every(loads);
}

function loads(addon) {
  try {
    require(path.join(root, 'node_modules', addon));
    return true;
  } catch {
    return false;
  }
}

/** Requires that the addons that were just compiled load: npm may have been told to compile them for another Node. */
function checkAddons() {
  const failed = NATIVE.find((addon) => !loads(addon));
  if (failed === undefined) return;
  fail(
    `node_modules/${failed} was compiled, but does not load in Node ${process.versions.node}. If \`npm config get ` +
      'nodedir` names a folder, it has the headers of another Node: correct or delete that setting of npm. Then run ' +
      'the same command again.',
  );
}

function packagesIn(lock) {
  const file = path.join(root, lock);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function installPackages() {
  npm(
    // A production environment, or an npm without scripts, would leave out the compiler and the addons.
    ['ci', '--include=dev', '--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error'],
    'Installing failed. Adjacent needs the npm registry, Python 3, make and a C++ compiler ' +
      '(Debian: apt-get install python3 make g++; macOS: xcode-select --install). Then run the same command again.',
  );
}

function built() {
  return existsSync(BUILT) && readFileSync(BUILT, 'utf8') === digestOf(SOURCES);
}

function build() {
  // Remove all of `dist`: output compiled from a since deleted source would still run, its tests first of all.
  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  const digest = digestOf(SOURCES);
  npm(
    ['run', '--silent', 'build'],
    'The build failed; the lines above name the file. After a pull, try: rm -rf dist node_modules',
  );
  writeFileSync(BUILT, digest);
}

function npm(args, advice) {
  const windows = process.platform === 'win32';
  // onnxruntime-node's install script would download GPU libraries; the CPU library is in the package.
  // better-sqlite3 would take a binary from GitHub, which no digest covers; without it, it is compiled as the others are.
  run(windows ? 'npm.cmd' : 'npm', args, advice, {
    ONNXRUNTIME_NODE_INSTALL: 'skip',
    npm_config_build_from_source: 'better-sqlite3',
  });
}

function run(command, args, advice, env) {
  // npm's output goes to standard error: standard output is reserved for a command's result.
  const { status, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...env },
  });
  if (signal !== null) process.exit(130);
  if (status !== 0) fail(advice);
}

function digestOf(inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) addTo(hash, path.join(root, input));
  return hash.digest('hex');
}

/** Hashes names, sizes and modification times, not contents: the models alone are 200 MB. Data files are left out. */
function addTo(hash, file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    if (/\.(ts|js|mjs|json|html|css)$/.test(file))
      hash.update(`${path.relative(root, file)} ${stats.size} ${stats.mtimeMs}\n`);
    return;
  }
  for (const entry of readdirSync(file).sort()) if (entry !== 'node_modules') addTo(hash, path.join(file, entry));
}

function fail(advice) {
  process.stderr.write(`\n${advice}\n`);
  process.exit(1);
}

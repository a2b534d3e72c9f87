import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The result of starting a release, with the seconds from the tarball to its first ad. */
export interface SmokeTested {
  readonly seconds: number;
  readonly ad: string;
}

const FEED = ['boots', 'tea', 'mower'].map((id) => ({
  id,
  name: `Good ${id}`,
  text: `Everything about ${id}, for beginners and experts.`,
  landingUrl: `https://shop.example/${id}`,
}));

/**
 * Unpacks a tarball and starts it in an environment with nothing but Node: no npm, no compiler, no shell.
 *
 * @param work a directory for it, which must not exist
 * @throws Error if it cannot be started, is not ready, or serves no ad
 */
export async function smokeTest(tarball: string, work: string): Promise<SmokeTested> {
  const began = Date.now();
  const bin = path.join(work, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, path.join(bin, 'node'));
  execFileSync('tar', ['-xzf', tarball, '-C', work]);
  const release = path.join(
    work,
    readdirSync(work).find((entry) => entry.startsWith('adjacent-'))!,
  );
  const feed = path.join(work, 'feed.jsonl');
  writeFileSync(feed, FEED.map((row) => `${JSON.stringify(row)}\n`).join(''));

  const settings = { PORT: '0', WORKERS: '1', LOG_LEVEL: 'warn', DATA_DIR: path.join(work, 'data') };
  const profile = process.env['PROFILE'] === undefined ? {} : { PROFILE: process.env['PROFILE'] };
  const options = { cwd: release, env: { PATH: bin, HOME: work, TMPDIR: work, ...settings, ...profile } };
  const node = (...args: string[]): string =>
    execFileSync('node', args, { ...options, encoding: 'utf8', stdio: 'pipe' });
  node('server/setup.mjs');
  node('dist/indexer/main.js', feed);
  // Loads the native library for large catalogues, which three rows do not need.
  node('dist/models/usearch/native-index.js');
  const child = spawn('node', ['dist/server/start.js'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { origin, key } = await greetingOf(child);
    const ready = await fetch(`${origin}/readyz`);
    if (ready.status !== 200) throw new Error(`the release is not ready: ${await ready.text()}`);
    const ad = await firstAd(origin, key);
    return { seconds: (Date.now() - began) / 1000, ad };
  } finally {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  }
}

async function greetingOf(child: ChildProcess): Promise<{ origin: string; key: string }> {
  let printed = '';
  for await (const piece of child.stdout!) {
    printed += String(piece);
    const [, origin] = /at (http:\/\/localhost:\d+)/.exec(printed) ?? [];
    const [key] = /pub_\w+/.exec(printed) ?? [];
    if (origin !== undefined && key !== undefined && printed.includes('/docs')) return { origin, key };
  }
  throw new Error(`the release does not serve:\n${printed}`);
}

async function firstAd(origin: string, key: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/public/creatives/match`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ context: 'User: which boots are good for beginners?' }),
  });
  const { id } = (await response.json()) as { id?: string };
  if (response.status !== 200 || id === undefined)
    throw new Error(`the release answered ${response.status}, without an ad`);
  return id;
}

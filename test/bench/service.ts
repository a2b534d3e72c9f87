import pLimit from 'p-limit';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { API } from '../../server/domain/urls.js';
import { contextFiles, readJsonLines, type EvalContext } from '../eval/set.js';
import { Installation } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const sets = fileURLToPath(new URL('../../../test/eval/', import.meta.url));

/** Returns conversations of every English set in `test/eval`, alternating between the sets. */
export function conversations(count: number): string[] {
  const bySet = readdirSync(sets, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(sets, entry.name, 'creatives.jsonl')))
    .map(({ name }) => contextFiles(path.join(sets, name), 'test').flatMap((file) => readJsonLines<EvalContext>(file)));
  return Array.from({ length: count }, (_, at) => {
    const set = bySet[at % bySet.length]!;
    return set[Math.floor(at / bySet.length) % set.length]!.context;
  });
}

export interface BenchedService {
  readonly origin: string;
  readonly key: string;
  readonly dataDir: string;
  readonly pid: number;
  createKey(publisher: string): Promise<string>;
}

/** Runs `work` against the built server with the sample catalogue, then removes everything. */
export async function withService<T>(
  workers: number,
  work: (service: BenchedService) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const adjacent = new Installation(temporaryDirectory(), { WORKERS: String(workers), ...settings });
  try {
    await adjacent.indexSample();
    const key = await adjacent.createKey('--publisher', 'Bench');
    // Loading the encoders takes long on a busy machine.
    const { origin, child } = await adjacent.serve('server/main.js', 300_000);
    return await work({
      origin,
      key,
      dataDir: adjacent.dataDir,
      pid: child.pid!,
      createKey: (publisher) => adjacent.createKey('--publisher', publisher),
    });
  } finally {
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  }
}

/**
 * Returns a function that requests an ad with a key. It uses Node's `http` client, because `fetch` takes more than a
 * millisecond of the same processors, as much as the server's own part of a match.
 */
export function matcherOf(origin: string, key: string): (context: string) => Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  return (context) =>
    new Promise((resolve, reject) => {
      const asked = request(`${origin}${API}/match`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode!));
        response.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(JSON.stringify({ context }));
    });
}

/**
 * Calls `work` for every item with limited concurrency.
 *
 * @returns the duration of each call, in milliseconds
 */
export function timed<T>(
  items: readonly T[],
  underWay: number,
  work: (item: T) => Promise<unknown>,
): Promise<number[]> {
  return pLimit(underWay).map(items, async (item) => {
    const begun = performance.now();
    await work(item);
    return performance.now() - begun;
  });
}

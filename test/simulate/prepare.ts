import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../server/config/config.js';
import { Installation } from '../support/installation.js';
import type { SimulateArguments } from './arguments.js';
import { PUBLISHERS } from './people.js';

/** Returns the installation to be driven. */
export function installation({ port }: SimulateArguments, { dataDir }: Config): Installation {
  return new Installation(dataDir, {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: '',
    // Every ad has its own client address, which the simulation sends as a proxy would.
    TRUST_PROXY: '1',
    WORKERS: String(Math.min(4, availableParallelism())),
  });
}

/**
 * Publishes the sample catalogue if nothing is published yet.
 *
 * @returns a key for each publisher, by name
 */
export async function prepare(
  adjacent: Installation,
  { url }: SimulateArguments,
  { dataDir }: Config,
): Promise<ReadonlyMap<string, string>> {
  if (url === undefined && !existsSync(join(dataDir, 'current'))) await adjacent.indexSample();
  const keys = new Map<string, string>();
  for (const { name, test } of PUBLISHERS) {
    keys.set(name, await adjacent.createKey('--publisher', name, ...(test ? ['--test'] : [])));
  }
  return keys;
}

/** Runs the `campaigns` commands. */
export async function setCampaigns(adjacent: Installation, commands: readonly (readonly string[])[]): Promise<void> {
  for (const command of commands) await adjacent.run('server/commands/campaigns/main.js', ...command);
}

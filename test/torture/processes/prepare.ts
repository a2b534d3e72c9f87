import type { Processes } from './processes.js';
import type { PublisherKey } from '../calls/ask.js';

/** Publishes a catalogue and creates a key for each of two publishers, one of which also gets a test key. */
export async function prepare(processes: Processes, feed: string): Promise<readonly PublisherKey[]> {
  const run = async (file: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await processes.start(file, ...args).ended;
    if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await run('indexer/main.js', feed);
  const keys: PublisherKey[] = [];
  for (const [publisher, test] of [
    ['Garden Chat', false],
    ['Travel Chat', false],
    ['Garden Chat', true],
  ] as const) {
    const args = ['create', '--publisher', publisher, ...(test ? ['--test'] : [])];
    const out = await run('server/commands/keys/main.js', ...args);
    keys.push({ publisher, test, key: out.trim().split('\n').at(-1)! });
  }
  return keys;
}

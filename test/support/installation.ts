import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MatchRequest } from '../../models/schema/match-request.js';
import { API } from '../../server/domain/urls.js';
import { watchProcess } from './child-process.js';
import { eventually } from './eventually.js';

const built = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const sampleFeed = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));

/** A running server. */
export interface Served {
  readonly origin: string;
  readonly demoKey: string;
  readonly child: ChildProcess;
  /** Returns what it has printed so far. */
  readonly output: () => string;
}

/** A whole Adjacent in its own data directory, operated by its commands. */
export class Installation {
  readonly #children: ChildProcess[] = [];

  constructor(
    readonly dataDir: string,
    readonly env: Readonly<Record<string, string>> = {},
  ) {}

  /**
   * Runs a built command to its end.
   *
   * @returns its standard output
   * @throws Error with its standard error if it fails
   */
  async run(file: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(file, ...args);
    if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${stderr}`);
    return stdout;
  }

  /**
   * Runs a built command to its end, successful or not.
   *
   * @returns its exit code, standard output and standard error
   */
  async attempt(file: string, ...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await watchProcess(this.#spawn(file, args)).ended;
    return { code, stdout, stderr };
  }

  indexSample(): Promise<string> {
    return this.run('indexer/main.js', sampleFeed);
  }

  /** @returns the key, which the command prints on its last line */
  async createKey(...args: string[]): Promise<string> {
    const out = await this.run('server/commands/keys/main.js', 'create', ...args);
    return out.trim().split('\n').at(-1)!;
  }

  /**
   * Starts the built server on a free port; resolves once it prints its address.
   *
   * @param file `server/start.js` first indexes the sample catalogue if there is none
   */
  async serve(file = 'server/main.js', withinMs = 40_000): Promise<Served> {
    const { child, output } = this.launch(file);
    await eventually(() => {
      if (child.exitCode !== null || !output().includes('/docs')) throw new Error(`not serving:\n${output()}`);
    }, withinMs);
    const [, origin = ''] = /at (http:\/\/localhost:\d+)/.exec(output()) ?? [];
    return { origin, demoKey: /pub_\w+/.exec(output())?.[0] ?? '', child, output };
  }

  /** Starts the built server, and does not wait until it serves. */
  launch(file: string): Pick<Served, 'child' | 'output'> {
    const child = this.#spawn(file, []);
    let output = '';
    child.stdout!.on('data', (data) => (output += String(data)));
    child.stderr!.on('data', (data) => (output += String(data)));
    return { child, output: () => output };
  }

  /** Ends everything that still runs. */
  async end(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
  }

  #spawn(file: string, args: readonly string[]): ChildProcess {
    const env = { ...process.env, PORT: '0', WORKERS: '1', DATA_DIR: this.dataDir, LOG_LEVEL: 'warn', ...this.env };
    const child = spawn(process.execPath, [built(file), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    return child;
  }
}

/** Requests an ad as a publisher's server would, for a conversation given as text or as a request body. */
export function match(origin: string, key: string, conversation: string | MatchRequest): Promise<Response> {
  return fetch(`${origin}${API}/match`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(typeof conversation === 'string' ? { context: conversation } : conversation),
  });
}

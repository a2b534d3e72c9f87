import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { CuttableLink } from '../../support/cuttable-link.js';
import type { Caller } from '../calls/caller.js';
import { wasBusy } from '../processes/busy.js';
import { describeEnd, type Processes, type ServerProcess } from '../processes/processes.js';
import type { Troubles } from './troubles.js';

/** A node that its supervisor restarts whenever it ends. */
export interface SupervisedNode {
  readonly dataDir: string;
  /** The node's connection to the database. */
  readonly link: CuttableLink;
  /** Kills the node with SIGKILL at whatever stage it is, and restarts it after this time. */
  kill(downMs: number): Promise<void>;
  /** Stops the process for this time, so that calls hang and deadlines pass. */
  pause(ms: number): Promise<void>;
  isReady(): Promise<boolean>;
  readonly starts: number;
  /** Ends the node and its supervisor. */
  end(): Promise<void>;
}

export interface SupervisedNodeOptions {
  readonly name: string;
  readonly dataDir: string;
  readonly link: CuttableLink;
  readonly processes: Processes;
  /** May make a start fail. A node that has served must never end by itself. */
  readonly troubles: Troubles;
  readonly differs: (what: string) => void;
}

const AGAIN_AFTER_MS = 500;

export function superviseNode(options: SupervisedNodeOptions): SupervisedNode {
  const { name, dataDir, link, processes, troubles, differs } = options;
  let server: ServerProcess;
  let own: Caller | null = null;
  let starts = 0;
  let downMs: number | null = null;
  const over = new AbortController();

  const run = async (): Promise<void> => {
    const since = performance.now();
    starts++;
    downMs = null;
    server = processes.start('server/main.js');
    void server.serving.then(
      (caller) => (own = caller),
      () => differs(`${name} does not begin to serve`),
    );
    const { code, stderr } = await server.ended;
    // A start waits for locks without a time limit, so a lock timeout is no excuse.
    const isExcused = troubles.since(since) || (wasBusy(stderr) && !stderr.includes('lock timeout'));
    const mayEnd = downMs !== null || over.signal.aborted || (own === null && code === 1 && isExcused);
    own = null;
    appendFileSync(`${dataDir}.log`, stderr);
    if (!mayEnd) differs(await describeEnd(name, server));
    await pause(downMs ?? AGAIN_AFTER_MS, undefined, { signal: over.signal }).catch(() => undefined);
  };
  const runs = (async () => {
    while (!over.signal.aborted) await run();
  })();

  return {
    dataDir,
    link,
    async kill(ms) {
      if (server.over) return;
      downMs = ms;
      await server.kill();
    },
    async pause(ms) {
      const { child } = server;
      child.kill('SIGSTOP');
      await pause(ms);
      // No effect if the process was killed meanwhile.
      child.kill('SIGCONT');
    },
    isReady: async () => (await own?.call('/readyz'))?.status === 200,
    get starts() {
      return starts;
    },
    async end() {
      over.abort();
      await server.kill();
      await runs;
    },
  };
}

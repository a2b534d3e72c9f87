import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { main, parseOptions, TEXT, UsageError } from '../../platform/command-line/run-command.js';
import { startPostgres } from '../support/postgres.js';
import { roundRobin } from './round-robin.js';

const usage = `Usage: npm run cluster [-- options]

Starts PostgreSQL, several nodes and a simple proxy in front of them on this machine, to try out. Ctrl-C ends everything
and removes all data. Settings such as PROFILE come from the environment.

  --nodes N    how many nodes, 1 to 9 (default: 3)
  --port N     of the proxy; the nodes have the ports after it (default: 3000)

Example: npm run cluster -- --nodes 2 --port 8000
`;

const NODE = fileURLToPath(new URL('../../server/start.js', import.meta.url));

function wholeNumber(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  const value = text === undefined ? fallback : /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

await main({
  usage,
  async run(argv, { out, err }) {
    const { values } = parseOptions(argv, { nodes: TEXT, port: TEXT }, 0);
    const count = wholeNumber('nodes', values.nodes, 3, 1, 9);
    const port = wholeNumber('port', values.port, 3000, 1, 65_000);
    const ports = Array.from({ length: count }, (_, at) => port + 1 + at);
    const folder = mkdtempSync(path.join(tmpdir(), 'adjacent-cluster-'));
    const postgres = await startPostgres();
    const { url } = await postgres.database();
    const proxy = roundRobin(ports).listen(port, '127.0.0.1');
    const nodes = ports.map((own, at) => {
      const dataDir = path.join(folder, `node-${at + 1}`);
      const env = { DATA_DIR: dataDir, DATABASE_URL: url, PORT: String(own), HOST: '127.0.0.1' };
      return startNode(at + 1, { BASE_URL: `http://localhost:${port}`, TRUST_PROXY: '1', WORKERS: '1', ...env }, err);
    });
    out(`Proxy at http://localhost:${port}, nodes at ports ${ports.join(', ')}\n`);
    out(`Commands take --data-dir ${path.join(folder, 'node-1')} --database-url ${url}\n`);
    await ending(nodes);
    proxy.close();
    proxy.closeAllConnections();
    await Promise.all(nodes.map(end));
    rmSync(folder, { recursive: true });
    await postgres.stop();
  },
});

function startNode(number: number, env: Readonly<Record<string, string>>, print: (text: string) => void): ChildProcess {
  // The node has its own process group: Ctrl-C reaches only this process, which ends the nodes in order.
  const child = spawn(process.execPath, [NODE], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => print(`node ${number} | ${line}\n`));
  }
  return child;
}

/** Resolves at a signal, or when no node is left. */
async function ending(nodes: readonly ChildProcess[]): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'].map((signal) => new Promise((resolve) => process.once(signal, resolve)));
  await Promise.race([...signals, Promise.all(nodes.map((node) => once(node, 'exit')))]);
}

async function end(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const ended = once(node, 'exit');
  node.kill('SIGTERM');
  await ended;
}

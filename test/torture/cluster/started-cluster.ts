import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { roundRobin } from '../../cluster/round-robin.js';
import { cuttableLink, type CuttableLink } from '../../support/cuttable-link.js';
import { freePorts } from '../../support/free-ports.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import { createCaller, type Caller } from '../calls/caller.js';
import { createTortureControl, type TortureControl } from '../calls/control.js';
import { createProcesses, type Processes } from '../processes/processes.js';
import { superviseNode, type SupervisedNode } from './supervised-node.js';
import { throughProxy } from './through-proxy.js';
import type { Troubles } from './troubles.js';

/** Several nodes behind one proxy, on one PostgreSQL that each reaches through its own link. */
export interface StartedCluster {
  readonly postgres: TemporaryPostgres;
  readonly databaseUrl: string;
  readonly nodes: readonly SupervisedNode[];
  /** The link between callers and the proxy. */
  readonly front: CuttableLink;
  readonly caller: Caller;
  /** The operator's commands, whose connection to the database is never cut. */
  readonly commands: Processes;
  readonly control: TortureControl;
  end(): Promise<void>;
}

export interface StartOptions {
  readonly workDir: string;
  readonly count: number;
  readonly troubles: Troubles;
  /** Runs before the first node starts. */
  readonly prepare: (commands: Processes) => Promise<void>;
  readonly differs: (what: string) => void;
}

export async function startCluster(options: StartOptions): Promise<StartedCluster> {
  const { workDir, count, troubles, differs } = options;
  const controlFile = join(workDir, 'control.json');
  const control = createTortureControl(controlFile);
  // With fsync, a restarted database loses nothing that it has acknowledged.
  const postgres = await startPostgres(['fsync=on']);
  const { url: databaseUrl } = await postgres.database();
  const commands = createProcesses(join(workDir, 'commands'), controlFile, { DATABASE_URL: databaseUrl });
  await options.prepare(commands);

  const ports = await freePorts(count);
  const links = await Promise.all(ports.map(() => cuttableLink(postgres.port)));
  const nodes = ports.map((port, at) => {
    const [name, link] = [`node-${at + 1}`, links[at]!];
    const dataDir = join(workDir, name);
    const url = new URL(databaseUrl);
    url.port = String(link.port);
    // Two proxies: the caller sends its own address in the header, and the proxy appends the address of its connection.
    const settings = { DATABASE_URL: url.href, PORT: String(port), HOST: '127.0.0.1', TRUST_PROXY: '2' };
    return superviseNode({
      name,
      dataDir,
      link,
      processes: createProcesses(dataDir, controlFile, settings),
      troubles,
      differs,
    });
  });
  const proxy = roundRobin(ports).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const front = await cuttableLink((proxy.address() as AddressInfo).port);
  const caller = throughProxy(createCaller(`http://127.0.0.1:${front.port}`));
  return {
    postgres,
    databaseUrl,
    nodes,
    front,
    caller,
    commands,
    control,
    async end() {
      caller.close();
      await Promise.all([commands.end(), ...nodes.map((node) => node.end())]);
      await Promise.all([front, ...links].map((link) => link.cut()));
      proxy.close();
      proxy.closeAllConnections();
      await postgres.stop();
    },
  };
}

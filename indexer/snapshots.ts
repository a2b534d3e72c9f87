import Table from 'cli-table3';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { FLAG, main } from '../platform/command-line/run-command.js';
import { type LivePeriod, readHistory } from '../models/snapshot/history.js';
import { withInstallation } from '../models/snapshot/with-installation.js';
import { printable } from '../platform/text/printable.js';
import { readCommandLine } from './command-line.js';
import { describeSources, MAX_NAME } from './describe-snapshot.js';

/** How many periods of the history are shown without --all. */
const PERIODS = 20;
const UNKNOWN = 'not recorded';

const usage = `Usage: npm run snapshots [-- options]

Lists the snapshots that are kept, the live one first, and what was live from when until when, by whom.

  --all            the whole history (default: the latest ${PERIODS} periods)
  --data-dir DIR   where the catalogue is kept (default: the DATA_DIR setting, ./data)
  --database-url URL
                   PostgreSQL database that the nodes share; DATA_DIR is then this node's copy (default: the
                   DATABASE_URL setting, none). Other users of the machine can see options: with a password, set
                   DATABASE_URL in the environment or .env

Example: npm run snapshots
`;

await main({
  usage,
  async run(argv, { out }) {
    const { settings, values } = readCommandLine(argv, { all: FLAG }, { min: 0, max: 0 });
    await withInstallation(settings, async () => {
      const kept = await listSnapshots(settings.dataDir);
      if (kept.length === 0) return out('There are no snapshots yet. Make one: npm run index -- FEED\n');
      const table = new Table({
        head: ['id', 'name', 'built', 'published', 'creatives', 'sources', 'encoder', 'live'],
        style: { head: [], border: [] },
      });
      table.push(...kept.map(describe));
      out(`${table.toString()}\n`);
      const history = await readHistory(settings.dataDir, values.all === true ? Infinity : PERIODS);
      if (history.length > 0) out(`What was live:\n${historyTable(history)}\n`);
    });
  },
});

function historyTable(history: readonly LivePeriod[]): string {
  const table = new Table({
    head: ['from', 'until', 'id', 'name', 'creatives', 'how', 'by'],
    style: { head: [], border: [], compact: true },
  });
  for (const { from, until, id, name, creatives, how, by } of history) {
    const about = [id, printable(name ?? '–', MAX_NAME), creatives?.toLocaleString('en') ?? '–'];
    table.push([from ?? UNKNOWN, until ?? 'now', ...about, how ?? UNKNOWN, printable(by ?? UNKNOWN, MAX_NAME)]);
  }
  return table.toString();
}

function describe({
  id,
  live,
  publishedAt,
  manifest,
}: KeptSnapshot): (string | { colSpan: number; content: string })[] {
  const mark = live ? 'live' : '';
  if (manifest instanceof SnapshotFaultError) {
    return [id, { colSpan: 6, content: `damaged: ${manifest.field} ${manifest.reason}` }, mark];
  }
  const { name, builtAt, counts, encoder } = manifest;
  return [
    id,
    printable(name, MAX_NAME),
    builtAt,
    publishedAt ?? 'never',
    counts.creatives.toLocaleString('en'),
    describeSources(manifest),
    `${encoder.name} ${encoder.fingerprint}`,
    mark,
  ];
}

import Table from 'cli-table3';
import { SnapshotFaultError } from '../models/snapshot/manifest.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { main } from '../models/command-line/run-command.js';
import { readCommandLine } from './command-line.js';

const usage = `Usage: npm run snapshots [-- options]

Lists the snapshots that are kept, the live one first.

  --data-dir DIR   where the catalogue is kept (default: the DATA_DIR setting, ./data)

Example: npm run snapshots
`;

await main({
  usage,
  async run(argv, { out }) {
    const { settings } = readCommandLine(argv, {}, { min: 0, max: 0 });
    const kept = await listSnapshots(settings.dataDir);
    if (kept.length === 0) return out('There are no snapshots yet. Make one: npm run index -- FEED\n');
    const table = new Table({
      head: ['id', 'name', 'built', 'published', 'creatives', 'encoder', 'live'],
      style: { head: [], border: [] },
    });
    table.push(...kept.map(describe));
    out(`${table.toString()}\n`);
  },
});

function describe({
  id,
  live,
  publishedAt,
  manifest,
}: KeptSnapshot): (string | { colSpan: number; content: string })[] {
  const mark = live ? 'live' : '';
  if (manifest instanceof SnapshotFaultError) {
    return [id, { colSpan: 5, content: `damaged: ${manifest.field} ${manifest.reason}` }, mark];
  }
  const { name, builtAt, counts, encoder } = manifest;
  return [
    id,
    name,
    builtAt,
    publishedAt ?? 'never',
    counts.creatives.toLocaleString('en'),
    `${encoder.name} ${encoder.fingerprint}`,
    mark,
  ];
}

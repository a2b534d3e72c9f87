import { lockCatalogue } from '../models/snapshot/catalogue-lock.js';
import { rollback } from '../models/snapshot/publish.js';
import { runCommand } from './command-line.js';
import { encoderSource } from './encoder-source.js';
import { makeDirectory } from './make-directory.js';

const usage = `Usage: npm run rollback [-- ID]

Makes an earlier snapshot live: the one with this id (see npm run snapshots), by default the one before.
Settings: --data-dir, --model (or DATA_DIR, MODEL)`;

await runCommand({ usage, arguments: { least: 0, most: 1 } }, async ({ settings, arguments: [id] }) => {
  const encoder = await encoderSource(settings);
  makeDirectory(settings.dataDir);
  const lock = await lockCatalogue(settings.dataDir, () => process.stdout.write('Waiting for an indexer to end …\n'));
  try {
    process.stdout.write(`Live now: ${await rollback(settings.dataDir, encoder, id)}\n`);
    return 0;
  } finally {
    await lock.release();
  }
});

import { lockCatalogue } from '../models/snapshot/catalogue-lock.js';
import { makeDirectory } from '../models/files/data-directory.js';
import { rollback } from '../models/snapshot/publish.js';
import { runCommand } from './command-line.js';
import { encoderSource } from './encoder-source.js';

const usage = `Usage: npm run rollback [-- ID] [options]

Makes an earlier snapshot live again; a running server follows within 2 s.

  ID               which one, as npm run snapshots lists them (default: the one that was live before)
  --data-dir DIR   where the catalogue is kept (default: the DATA_DIR setting, ./data)
  --model NAME     encoder that it must fit (default: the MODEL setting, the bundled one)

Example: npm run rollback -- 60c22d41a2dc4323`;

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

import { lockCatalogue } from '../models/snapshot/catalogue-lock.js';
import { runCommand } from './command-line.js';
import { encoderSource } from './encoder-source.js';
import { indexFeed } from './index-feed.js';
import { explainFullDisk } from './full-disk.js';
import { makeDirectory } from './make-directory.js';
import { createProgress } from './progress.js';

const usage = `Usage: npm run index -- FEED [--skip-invalid] [--allow-shrink] [--name NAME] [--verbose]

Turns a feed (JSON Lines, JSON array or CSV) into the live snapshot.
  --skip-invalid   index the valid rows of a feed that has invalid ones
  --allow-shrink   publish even with less than half of the creatives that are live
  --name NAME      name of the snapshot (default: the feed's)
  --verbose        tell the fate of every row
Settings: --data-dir, --time-zone, --model, --workers, --click-days (or DATA_DIR, TIME_ZONE, …)
Exit code: 0 published, 1 refused, 2 usage`;

const command = {
  usage,
  switches: ['skip-invalid', 'allow-shrink', 'verbose'],
  values: ['name'],
  arguments: { least: 1, most: 1 },
};

await runCommand(command, async ({ settings, switches, values, arguments: [feed] }) => {
  const progress = createProgress(process.stdout, process.stderr);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      progress.stop();
      progress.warn('Interrupted. What is live is whole; what was half-written is removed at the next run.');
      process.exit(130);
    });
  }
  const encoder = await encoderSource(settings);
  makeDirectory(settings.dataDir);
  const lock = await lockCatalogue(settings.dataDir, () => progress.say('Waiting for another indexer to end …'));
  try {
    const task = {
      ...settings,
      feed: feed!,
      name: values['name'],
      skipInvalid: switches.has('skip-invalid'),
      allowShrink: switches.has('allow-shrink'),
      verbose: switches.has('verbose'),
    };
    await indexFeed(task, { encoder, lock, progress, clock: Date.now });
    return 0;
  } catch (error) {
    throw explainFullDisk(error);
  } finally {
    progress.stop();
    await lock.release();
  }
});

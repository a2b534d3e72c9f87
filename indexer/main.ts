import { lockCatalogue } from '../models/snapshot/catalogue-lock.js';
import { makeDataDirectory } from '../platform/files/data-directory.js';
import { withCluster } from '../platform/cluster/with-cluster.js';
import { commandActor } from '../models/audit/actor.js';
import { FLAG, main, TEXT, TEXTS, UsageError } from '../platform/command-line/run-command.js';
import { readCommandLine } from './command-line.js';
import { lazyEncoder } from './lazy-encoder.js';
import { checker } from '../models/schema/check.js';
import { DEFAULT_SOURCE, SourceName } from '../models/schema/source.js';
import { indexFeed, tryFeed } from './index-feed.js';
import { readReading } from './mapping/read-mapping.js';
import { readPointer } from '../models/snapshot/pointer.js';
import { createProgress } from './progress.js';
import { tidyName } from '../models/text/tidy-name.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';

const usage = `Usage: npm run index -- FEED [options]
       npm run index -- --source NAME --remove

Turns a feed (JSON Lines, JSON array, CSV or TSV; with a mapping also RSS and Atom) into the live snapshot, beside the
feeds of other sources.

  --source NAME      source of the feed's rows: a run replaces only the rows of its source (default: ${DEFAULT_SOURCE})
  --remove           remove the source's rows (without FEED)
  --mapping WHICH    how the columns of the feed become fields: a mapping file, or google for product feeds of Google
                     Merchant Center (CSV, TSV, RSS, Atom) and Meta; see FEED.md
  --set FIELD=VALUE  sets a field of all rows, such as advertiser="Hill & Dale"; repeatable
  --dry-run          checks the feed and prints faults and what would change, compared with what DATA_DIR has; embeds
                     and writes nothing, and waits for no other indexer
  --skip-invalid     index the valid rows of a feed that has invalid ones
  --allow-shrink     publish even with less than half of the source's creatives that are live, or, without a
                     --source, although advertisers would be removed
  --share-advertiser NAME
                     lets an advertiser be in other sources too; its account pays for the ads of each; repeatable
  --reuse-ids        accept ids of creatives that left another source so recently that their links still work
  --if-none          index only if nothing was ever published; if several nodes run this at once, one of them publishes
  --name NAME        name of the snapshot (default: the feed's)
  --verbose          list all faults, what changed, row by row, and what every campaign pays
  --brief            leave out what campaigns pay
  --data-dir DIR     where the catalogue is kept (default: the DATA_DIR setting, ./data)
  --database-url URL PostgreSQL database that the nodes share; DATA_DIR is then this node's copy (default: the
                     DATABASE_URL setting, none). Other users of the machine can see options: with a password, set
                     DATABASE_URL in the environment or .env
  --currency CODE    currency that amounts may name (default: the CURRENCY setting, USD)
  --time-zone ZONE   time zone of dates without a time (default: the TIME_ZONE setting, UTC)
  --profile NAME     quality or fast (default: the PROFILE setting, quality)
  --model NAME       encoder (default: the MODEL setting, the profile's)
  --languages WHICH  all or en: whether conversations in other languages get ads too (default: the LANGUAGES setting,
                     all)
  --workers N        encoder threads (default: the WORKERS setting, the cores, at most 4)
  --click-days N     how long addresses of creatives that left are kept (default: the CLICK_DAYS setting, 30)

A run that embeds 500 creatives or more can be interrupted: run the same command again, and it resumes.

Example: npm run index -- spring.csv --source garden-shop --skip-invalid
Exit code: 0 published (with --dry-run: would be), 1 refused, 2 arguments or settings that cannot be used
`;

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Explains what a full disk means for the catalogue. Returns any other error unchanged. */
function explainFullDisk(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const kept = 'Nothing was published; what is live stays as it is.';
  if (code !== undefined && FULL.has(code)) {
    return new Error(`The disk is full (${message}). ${kept} Make room and run the same command again.`, {
      cause: error,
    });
  }
  // The graph library does not notice a failed write; reading the file back does.
  if (error instanceof SnapshotFaultError) {
    return new Error(`What was written cannot be read back (${message}); is the disk full? ${kept}`, { cause: error });
  }
  return error;
}

const OPTIONS = {
  source: TEXT,
  remove: FLAG,
  mapping: TEXT,
  set: TEXTS,
  'dry-run': FLAG,
  'skip-invalid': FLAG,
  'allow-shrink': FLAG,
  'share-advertiser': TEXTS,
  'reuse-ids': FLAG,
  'if-none': FLAG,
  verbose: FLAG,
  brief: FLAG,
  name: TEXT,
} as const;

const checkSource = checker(SourceName);

/** Returns the feed to index and its source. @throws UsageError */
function subjectOf(feed: string | undefined, source: string | undefined, remove: boolean) {
  const checked = checkSource(source ?? DEFAULT_SOURCE);
  if (!checked.ok) throw new UsageError(`--source ${checked.faults[0]?.message}, such as garden-shop; not "${source}"`);
  if (remove && source === undefined) throw new UsageError('--remove needs a --source');
  if (remove && feed !== undefined) throw new UsageError('--remove takes no feed: it takes the source out');
  if (!remove && feed === undefined) throw new UsageError('an argument is missing');
  return { feed: feed ?? null, source: checked.value };
}

/** Tidies names as those in feeds are tidied before they are compared. @throws UsageError */
function advertisersIn(names: readonly string[]): string[] {
  const tidied = names.map((name) => tidyName(name));
  if (tidied.includes('')) throw new UsageError('--share-advertiser needs the name of an advertiser');
  return tidied;
}

await main({
  usage,
  async run(argv) {
    const { settings, values, positionals } = readCommandLine(argv, OPTIONS, { min: 0, max: 1 });
    const subject = subjectOf(positionals[0], values.source, values.remove === true);
    const sharedAdvertisers = advertisersIn(values['share-advertiser'] ?? []);
    const reading = await readReading(values.mapping, values.set ?? []);
    const progress = createProgress(process.stdout, process.stderr);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        progress.stop();
        progress.warn('Interrupted. The live catalogue is intact; the next run removes what was half-written.');
        process.exit(130);
      });
    }
    const task = {
      ...settings,
      ...subject,
      reading,
      name: values.name,
      skipInvalid: values['skip-invalid'] ?? false,
      allowShrink: values['allow-shrink'] ?? false,
      sharedAdvertisers,
      reuseIds: values['reuse-ids'] ?? false,
      verbose: values.verbose ?? false,
      brief: values.brief ?? false,
    };
    if (values['dry-run'] === true) {
      if (values['if-none'] === true) throw new UsageError('--dry-run cannot be combined with --if-none');
      return tryFeed(task, { progress, clock: Date.now });
    }
    const encoder = await lazyEncoder(settings);
    const { dataDir } = settings;
    makeDataDirectory(dataDir);
    const wait = (): void => progress.print('Waiting for another indexer to end …');
    await withCluster(settings, async (cluster) => {
      const lock = await lockCatalogue(dataDir, wait, cluster);
      try {
        if (values['if-none'] === true && (await readPointer(dataDir)).length > 0) {
          return progress.print('There is a catalogue already.');
        }
        await indexFeed(task, { encoder, lock, cluster, progress, clock: Date.now, by: commandActor() });
      } catch (error) {
        throw explainFullDisk(error);
      } finally {
        progress.stop();
        await lock.release();
      }
    });
  },
});

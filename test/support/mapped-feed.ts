import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../indexer/feed/check-feed.js';
import { readFeed } from '../../indexer/feed/read-feed.js';
import { describeFaults } from '../../indexer/fault-list.js';
import { applyReading } from '../../indexer/mapping/apply-reading.js';
import { readReading } from '../../indexer/mapping/read-mapping.js';

/** Options of an index run that say how a feed is read. */
export interface MappedFeedOptions {
  /** `google`, or the content of a mapping file; absent: no mapping. */
  readonly mapping?: string | object;
  readonly set?: readonly string[];
}

/** Writes a feed and reads and checks it as an index run does, in an installation that counts in EUR. */
export async function checkMapped(folder: string, name: string, content: string, options: MappedFeedOptions = {}) {
  const { mapping, set = [] } = options;
  const file = path.join(folder, name);
  writeFileSync(file, content);
  if (typeof mapping === 'object') writeFileSync(path.join(folder, 'mapping.json'), JSON.stringify(mapping));
  const reading = await readReading(typeof mapping === 'object' ? path.join(folder, 'mapping.json') : mapping, set);
  const raw = await readFeed(file, reading.mapping?.columns, new Set(reading.fixed.keys()));
  const { feed, origins, mapped } = await applyReading(raw, reading);
  const checked = await checkFeed(feed, file, { timeZone: 'UTC', currency: 'EUR', now: 0 });
  return {
    rows: checked.rows.map(({ creative }) => creative),
    faults: describeFaults(name, [...checked.fatal, ...checked.faults], true, origins),
    warnings: checked.warnings,
    mapped,
    mapping: reading.mapping,
  };
}

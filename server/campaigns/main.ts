import { join } from 'node:path';
import { ConfigError, environment, readConfig } from '../config.js';
import { createCalendar } from '../ledger/calendar.js';
import { LEDGER_FILE } from '../ledger/database.js';
import { demandKnown } from '../offline/known-names.js';
import { campaignStore } from './campaign-file.js';
import { runCampaignCommand } from './command.js';
import { readFeedCampaigns } from './feed-campaigns.js';
import { listCampaigns } from './list.js';
import { readSpent } from './read-spent.js';

/** `npm run campaigns -- …` */
try {
  const { dataDir, timeZone, currency } = readConfig(environment());
  const now = Date.now();
  const calendar = createCalendar(timeZone);
  process.exitCode = await runCampaignCommand(process.argv.slice(2), {
    store: campaignStore(dataDir),
    list: async (set) =>
      listCampaigns(await readFeedCampaigns(dataDir), set, readSpent(join(dataDir, LEDGER_FILE), calendar, now), now),
    demandKnown: (kind, name) => demandKnown(kind, name, dataDir),
    currency,
    timeZone,
    now,
    out: (line) => console.log(line),
    err: (line) => console.error(line),
  });
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `campaigns: ${(error as Error).message}`);
  process.exitCode = 1;
}

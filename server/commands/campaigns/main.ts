import { ConfigError, readEnvironment, readConfig, type Config } from '../../config/config.js';
import { asksForHelp } from '../shared/run-command.js';
import { requireKnown } from '../shared/known-names.js';
import { campaignStore } from '../../campaigns/campaign-file.js';
import { runCampaignCommand, USAGE } from './command.js';
import { readCampaigns } from '../../campaigns/list.js';

/** `npm run campaigns -- …` */
try {
  const argv = process.argv.slice(2);
  if (asksForHelp(argv)) process.stdout.write(USAGE);
  else process.exitCode = await runWith(readConfig(readEnvironment()), argv);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `campaigns: ${(error as Error).message}`);
  process.exitCode = 1;
}

function runWith({ dataDir, timeZone, currency }: Config, argv: readonly string[]): Promise<number> {
  const now = Date.now();
  return runCampaignCommand(argv, {
    store: campaignStore(dataDir),
    list: (set) => readCampaigns({ dataDir, timeZone }, set, now),
    requireKnown: (kind, name) => requireKnown(kind, name, dataDir),
    currency,
    timeZone,
    now,
    out: (line) => console.log(line),
    err: (line) => console.error(line),
  });
}

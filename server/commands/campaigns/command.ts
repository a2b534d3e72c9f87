import { commandActor } from '../../../models/audit/actor.js';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import type { Command, Output } from '../../../platform/command-line/run-command.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { campaignStore } from '../../campaigns/terms/campaign-file.js';
import { changeCampaigns } from '../../campaigns/terms/change-campaigns.js';
import { resolveCampaign, setCampaign, unsetCampaign } from '../../campaigns/terms/set-terms.js';
import { readCampaignAdvertisers } from '../../campaigns/terms/feed-campaigns.js';
import { type ListedCampaign, readCampaigns } from '../../campaigns/list-campaigns.js';
import { takedownStore } from '../../takedown/takedown-file.js';
import { requireKnown, UnknownNameError } from '../shared/known-names.js';
import { type CampaignArguments, readArguments, type SetCampaign } from './arguments.js';
import { campaignsTable } from './table.js';

const usage = `Usage: npm run campaigns -- list [--json]
       npm run campaigns -- set NAME [options]
       npm run campaigns -- unset NAME [--of ADVERTISER]

Sets terms of a campaign that override its feed; unset restores them. A running server picks up changes within
a second.

  --of ADVERTISER         its advertiser in the feed, if several advertisers have a campaign of this name
  --advertiser A          who pays
  --cpm M, --cpc M        price per thousand impressions, or per click
  --budget M              budget in total
  --daily-budget M        budget per day of TIME_ZONE
  --starts T, --ends T    from when, and until before when
  --pacing even|asap      spread over the day, or as soon as there are contexts (default: asap)
  --cap ADS/HOURSh        max ads per session within this many hours, such as 3/24h
  --pause, --resume       stop serving its ads, or serve them again
  --new                   accept a campaign or advertiser that no feed names yet
  --json                  list as one JSON object
  --data-dir DIR          where the installation is (default: the DATA_DIR setting, ./data)

M is an amount such as 12.50 or 5, or micros such as 12500000micros; T a date-time, a date or a duration such as 90d.
Options not given stay unchanged (default: the feed's value); none instead of a value overrides the feed's with nothing.

Example: npm run campaigns -- set "Spring sale" --daily-budget 40 --pacing even
Settings: DATA_DIR, DATABASE_URL, TIME_ZONE, CURRENCY
`;

/** The `npm run campaigns` command. A running server picks up changes within a second. */
export const campaigns: Command = {
  usage,
  async run(argv, output) {
    const now = Date.now();
    const wanted = readArguments(argv, now);
    await withInstallation(wanted.config, (cluster) => perform(wanted, cluster, now, output));
  },
};

async function perform(wanted: CampaignArguments, cluster: Cluster | null, now: number, output: Output): Promise<void> {
  const { dataDir, currency } = wanted.config;
  const store = campaignStore(dataDir, cluster);
  const takedowns = async () => (await takedownStore(dataDir, cluster).read()).creatives;
  if (wanted.name === 'list') {
    const { campaigns } = await store.read();
    const listed = await readCampaigns(wanted.config, { campaigns, takedowns: await takedowns() }, now);
    output.out(`${wanted.json ? JSON.stringify({ campaigns: listed }, null, 2) : campaignsTable(listed, currency)}\n`);
    return;
  }
  const { campaign } = wanted;
  const audited = { dataDir, cluster, by: commandActor(), action: `campaigns ${wanted.name}`, now };
  if (wanted.name === 'unset') {
    const advertisers = await readCampaignAdvertisers(dataDir, campaign);
    await changeCampaigns(store, audited, (file) =>
      unsetCampaign(file, resolveCampaign(file, campaign, advertisers, wanted.of), advertisers),
    );
    output.out(`${campaign}: the feed's terms apply again\n`);
    return;
  }
  if (!wanted.isNew) await requireKnownNames(wanted);
  const advertisers = await readCampaignAdvertisers(dataDir, campaign);
  const set = await changeCampaigns(store, audited, (file) =>
    setCampaign(
      file,
      resolveCampaign(file, campaign, advertisers, wanted.of, wanted.isNew),
      wanted.change,
      advertisers,
    ),
  );
  const all = await readCampaigns(wanted.config, { campaigns: [set], takedowns: await takedowns() }, now);
  const listed = all.find(({ name, of }) => name === campaign && of === set.of);
  if (listed === undefined) return;
  output.out(`${campaignsTable([listed], currency)}\n`);
  warnOf(listed, output);
}

/** Requires that the names are known. @throws UnknownNameError for a name that no feed, command or event has */
async function requireKnownNames({ campaign, change, config }: SetCampaign): Promise<void> {
  try {
    await requireKnown('campaign', campaign, config);
    await requireKnown('advertiser', change.advertiser ?? '', config);
  } catch (error) {
    if (!(error instanceof UnknownNameError)) throw error;
    throw new UnknownNameError(`${error.message}. Nothing was set; use --new to set it before a feed names it`);
  }
}

/** Warns about settings that are allowed but probably not intended. */
function warnOf(campaign: ListedCampaign, output: Output): void {
  const { name, creatives, pacing, budgetMicros, dailyBudgetMicros, endsAt } = campaign;
  if (creatives === 0) output.err(`no creative of the live snapshot names "${name}" yet\n`);
  const divisible = dailyBudgetMicros !== null || (budgetMicros !== null && endsAt !== null);
  if (pacing === 'even' && !divisible) {
    output.err('even pacing has nothing to divide without a daily budget, or a budget and an end\n');
  }
}

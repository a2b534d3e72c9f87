import { UsageError } from '../../keys/arguments.js';
import { UnknownNameError } from '../shared/known-names.js';
import { DamagedStoreError, type SharedStore } from '../../stores/shared-store.js';
import { readCampaignCommand, type CampaignCommand } from './arguments.js';
import type { CampaignFile, StoredCampaign } from '../../campaigns/campaign-file.js';
import { CampaignChangeError, setCampaign, unsetCampaign } from '../../campaigns/changes.js';
import type { ListedCampaign } from '../../campaigns/list.js';
import { campaignsTable } from './table.js';

export const USAGE = `Usage: npm run campaigns -- list [--json]
       npm run campaigns -- set NAME [options]
       npm run campaigns -- unset NAME

What holds for a campaign, over what its feed says; unset lets the feed's terms hold again. A running server follows
within a second.

  --advertiser A          who pays
  --cpm M, --cpc M        price of a thousand impressions, or of a click
  --budget M              for its whole life
  --daily-budget M        for a day of TIME_ZONE
  --starts T, --ends T    from when, and until before when
  --pacing even|asap      spread over the day, or as soon as there are contexts (default: asap)
  --cap ADS/HOURSh        so many ads to one session within so many hours, such as 3/24h
  --pause, --resume       no more ads, ads again
  --new                   the campaign or advertiser is not known yet: set before a feed names it
  --json                  list as one JSON object

M is an amount such as 12.50 or 5, or micros such as 12500000micros; T a date-time, a date or a duration such as 90d.
What is not given stays as it is (default: the feed's); none in place of a value overrides the feed's with nothing.

Example: npm run campaigns -- set "Spring sale" --daily-budget 40 --pacing even
Settings: DATA_DIR, TIME_ZONE, CURRENCY
`;

export interface CampaignCommandIo {
  readonly store: SharedStore<CampaignFile>;
  /** The campaigns as they stand, given what was set. */
  readonly list: (set: readonly StoredCampaign[]) => Promise<ListedCampaign[]>;
  /** @throws UnknownNameError for a name that no feed, command or event has */
  readonly requireKnown: (kind: 'campaign' | 'advertiser', name: string) => Promise<void>;
  readonly currency: string;
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/**
 * Runs one `campaigns` command. A running server follows within a second.
 *
 * @returns the exit code: 0 done, 1 refused, 2 not understood
 */
export async function runCampaignCommand(argv: readonly string[], io: CampaignCommandIo): Promise<number> {
  try {
    await run(readCampaignCommand(argv, io.timeZone, io.now), io);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`campaigns: ${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (error instanceof UnknownNameError) {
      io.err(`campaigns: ${error.message}. Nothing was set; with --new it is set before a feed names it`);
      return 1;
    }
    if (error instanceof CampaignChangeError || error instanceof DamagedStoreError) {
      io.err(`campaigns: ${error.message}`);
      return 1;
    }
    throw error;
  }
}

async function run(command: CampaignCommand, io: CampaignCommandIo): Promise<void> {
  const { store, out } = io;
  if (command.name === 'list') {
    const campaigns = await io.list((await store.read()).campaigns);
    out(command.json ? JSON.stringify({ campaigns }, null, 2) : campaignsTable(campaigns, io.currency));
    return;
  }
  const { campaign } = command;
  if (command.name === 'unset') {
    await store.change((file) => unsetCampaign(file, campaign));
    out(`${campaign}: the feed's terms hold`);
    return;
  }
  if (!command.isNew) {
    await io.requireKnown('campaign', campaign);
    await io.requireKnown('advertiser', command.change.advertiser ?? '');
  }
  const set = await store.change((file) => setCampaign(file, campaign, command.change));
  const listed = (await io.list([set])).find(({ name }) => name === campaign);
  if (listed === undefined) return;
  out(campaignsTable([listed], io.currency));
  if (listed.creatives === 0) io.err(`campaigns: no creative of the live snapshot names "${campaign}" yet`);
  const divisible = listed.dailyBudgetMicros !== null || (listed.budgetMicros !== null && listed.endsAt !== null);
  if (listed.pacing === 'even' && !divisible) {
    io.err('campaigns: even pacing has nothing to divide without a daily budget, or a budget and an end');
  }
}

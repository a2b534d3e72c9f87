import { UsageError } from '../keys/arguments.js';
import { UnknownNameError } from '../offline/known-names.js';
import { DamagedStoreError, type SharedStore } from '../stores/shared-store.js';
import { readCampaignCommand, type CampaignCommand } from './arguments.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';
import { CampaignChangeError, setCampaign, unsetCampaign } from './changes.js';
import { drawCampaigns, type ListedCampaign } from './list.js';

const USAGE = `npm run campaigns -- list [--json]
                     set NAME [--advertiser A] [--cpm M | --cpc M] [--budget M] [--daily-budget M] [--starts T] [--ends T]
                              [--pacing even|asap] [--cap ADS/HOURSh] [--pause | --resume]
                     unset NAME
M is an amount such as 12.50 or 5, or micros such as 12500000micros; T a date-time, a date or a duration such as 90d; none
in place of a value overrides the feed's with nothing. unset lets the feed's terms hold again.`;

export interface CampaignCommandIo {
  readonly store: SharedStore<CampaignFile>;
  /** The campaigns as they stand, given what was set. */
  readonly list: (set: readonly StoredCampaign[]) => Promise<ListedCampaign[]>;
  /** @throws UnknownNameError for a name that no feed, command or event has */
  readonly demandKnown: (kind: 'campaign' | 'advertiser', name: string) => Promise<void>;
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
      io.err(`campaigns: ${error.message}\n${USAGE}`);
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
    out(command.json ? JSON.stringify({ campaigns }, null, 2) : drawCampaigns(campaigns, io.currency));
    return;
  }
  const { campaign } = command;
  if (command.name === 'unset') {
    await store.change((file) => unsetCampaign(file, campaign));
    out(`${campaign}: the feed's terms hold`);
    return;
  }
  if (!command.isNew) {
    await io.demandKnown('campaign', campaign);
    await io.demandKnown('advertiser', command.change.advertiser ?? '');
  }
  const set = await store.change((file) => setCampaign(file, campaign, command.change));
  const listed = (await io.list([set])).find(({ name }) => name === campaign);
  if (listed === undefined) return;
  out(drawCampaigns([listed], io.currency));
  if (listed.creatives === 0) io.err(`campaigns: no creative of the live snapshot names "${campaign}" yet`);
  const divisible = listed.dailyBudgetMicros !== null || (listed.budgetMicros !== null && listed.endsAt !== null);
  if (listed.pacing === 'even' && !divisible) {
    io.err('campaigns: even pacing has nothing to divide without a daily budget, or a budget and an end');
  }
}

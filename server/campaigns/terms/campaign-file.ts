import { type Static, Type } from 'typebox';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../../models/schema/check.js';
import { Creative } from '../../../models/schema/creative.js';
import { printable } from '../../../platform/text/printable.js';
import { tidyName } from '../../../models/text/tidy-name.js';
import { openStore } from '../../stores/open-store.js';
import type { SharedStore } from '../../stores/shared-store.js';

const { advertiser, pricing, budgetMicros, dailyBudgetMicros, startsAt, endsAt, frequencyCap } = Creative.properties;

/** What was set for a campaign by command. A field that is absent is the feed's; null says that there is none. */
const StoredCampaign = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    /**
     * Whose campaign it is, by the feed. Absent: of every advertiser that has one of this name and nothing set for it by
     * itself; so it stands in files of earlier releases, and for what no feed names yet.
     */
    of: Type.Optional(advertiser),
    /** Who pays. */
    advertiser: Type.Optional(advertiser),
    pricing: Type.Optional(pricing),
    budgetMicros: Type.Optional(budgetMicros),
    dailyBudgetMicros: Type.Optional(dailyBudgetMicros),
    startsAt: Type.Optional(startsAt),
    endsAt: Type.Optional(endsAt),
    frequencyCap: Type.Optional(frequencyCap),
    /** Over the day, or as fast as there are contexts for it (the default). */
    pacing: Type.Optional(Type.Union([Type.Literal('even'), Type.Literal('asap')])),
    paused: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type StoredCampaign = Static<typeof StoredCampaign>;

const CampaignFile = Type.Object({ version: Type.Literal(1), campaigns: Type.Array(StoredCampaign) });
export type CampaignFile = Static<typeof CampaignFile>;

/** The file `DATA_DIR/campaigns.json`, which an operator may edit by hand too, or the document of that name that nodes share. */
export function campaignStore(dataDir: string, cluster?: Cluster | null): SharedStore<CampaignFile> {
  return openStore<CampaignFile>({
    dataDir,
    name: 'campaigns.json',
    empty: { version: 1, campaigns: [] },
    parse,
    cluster,
  });
}

const check = checker(CampaignFile);

function parse(value: unknown): CampaignFile {
  const file = requireValid(check(value));
  const keyOf = ({ name, of }: StoredCampaign): string => JSON.stringify([name, of]);
  const keys = file.campaigns.map(keyOf);
  const twice = file.campaigns.find((_, index) => keys.indexOf(keys[index]!) < index);
  if (twice !== undefined) throw new Error(`${twice.name} stands twice among the campaigns`);
  // Feeds' names are tidied (since 2026-11-27): what was set under another spelling holds on, unless the tidy one has terms of its own.
  const taken = new Set(keys);
  const campaigns = file.campaigns.map((each) => {
    const tidy = tidied(each);
    if (taken.has(keyOf(tidy))) return each;
    taken.add(keyOf(tidy));
    return tidy;
  });
  // In place: a store keeps what it had read.
  file.campaigns.splice(0, Infinity, ...campaigns);
  return file;
}

/** Not who pays: that account has spent under its name. */
function tidied(campaign: StoredCampaign): StoredCampaign {
  const { name, of } = campaign;
  return {
    ...campaign,
    name: tidyName(name),
    ...(typeof of === 'string' ? { of: tidyName(of) } : {}),
  };
}

/** A campaign whose terms are not, or not all, the feed's. */
export interface OverriddenCampaign {
  readonly campaign: string;
  /** Whose it is, by the feed; absent: every advertiser's that has one of this name. */
  readonly of?: string | null;
  /** What was set by command. */
  readonly fields: readonly string[];
}

/** The campaigns that commands have changed, for reports, which must say so. */
export function overriddenCampaigns({ campaigns }: CampaignFile): OverriddenCampaign[] {
  return campaigns.map(({ name, of, ...fields }) => ({
    campaign: name,
    ...(of === undefined ? {} : { of }),
    fields: Object.keys(fields),
  }));
}

/** One sentence for a person; empty where nothing was set. A name must not steer the terminal. */
export function overriddenNote(campaigns: readonly OverriddenCampaign[]): string {
  if (campaigns.length === 0) return '';
  const listed = campaigns.map(({ campaign, of, fields }) => {
    const owner = of == null ? '' : ` of ${printable(of)}`;
    return `${printable(campaign)}${owner} (${fields.join(', ')})`;
  });
  return `Set by command, in place of what the feed says: ${listed.join('; ')}.\n`;
}

import { type Static, Type } from '#typebox';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../../models/schema/check.js';
import { Creative } from '../../../models/schema/creative.js';
import { printable } from '../../../platform/text/printable.js';
import { tidyName } from '../../../models/text/tidy-name.js';
import { openStore } from '../../stores/open-store.js';
import type { SharedStore } from '../../stores/shared-store.js';

const { advertiser, pricing, budgetMicros, dailyBudgetMicros, startsAt, endsAt, frequencyCap } = Creative.properties;

/** The terms that commands have set for a campaign. An absent field keeps the feed's value; null removes it. */
const StoredCampaign = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    /**
     * The campaign's advertiser by the feed, `feedAdvertiser` in code. Absent: every advertiser that has a campaign of this name without terms
     * of its own. It is absent in files of earlier releases, and for campaigns that no feed names yet.
     */
    of: Type.Optional(advertiser),
    /** The advertiser that pays, in place of the feed's. */
    advertiser: Type.Optional(advertiser),
    pricing: Type.Optional(pricing),
    budgetMicros: Type.Optional(budgetMicros),
    dailyBudgetMicros: Type.Optional(dailyBudgetMicros),
    startsAt: Type.Optional(startsAt),
    endsAt: Type.Optional(endsAt),
    frequencyCap: Type.Optional(frequencyCap),
    /** Spread over the day, or as fast as contexts allow (the default). */
    pacing: Type.Optional(Type.Union([Type.Literal('even'), Type.Literal('asap')])),
    paused: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type StoredCampaign = Static<typeof StoredCampaign>;

/** A campaign by its name and, if known, its advertiser. */
export interface CampaignName {
  readonly name: string;
  /** By the feed; null: rows without an advertiser. Stored as `of`. */
  readonly feedAdvertiser?: string | null;
}

const CampaignFile = Type.Object({ version: Type.Literal(1), campaigns: Type.Array(StoredCampaign) });
export type CampaignFile = Static<typeof CampaignFile>;

/**
 * Opens the file `DATA_DIR/campaigns.json`, which an operator may also edit by hand, or the document of that name that
 * nodes share.
 */
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
  const taken = new Set<string>();
  // `add` of a set that has the key already does not make it larger.
  const twice = file.campaigns.find((each, index) => taken.add(keyOf(each)).size <= index);
  if (twice !== undefined) throw new Error(`${twice.name} appears twice in the campaigns`);
  // Names in feeds are tidied since 2026-11-27. Terms set under another spelling still apply, unless the tidy name has
  // terms of its own.
  const campaigns = file.campaigns.map((each) => {
    const tidy = tidied(each);
    if (taken.has(keyOf(tidy))) return each;
    taken.add(keyOf(tidy));
    return tidy;
  });
  return { ...file, campaigns };
}

/** Tidies name and advertiser, but not the payer: its account has spent under that name. */
function tidied(campaign: StoredCampaign): StoredCampaign {
  const { name, of } = campaign;
  return {
    ...campaign,
    name: tidyName(name),
    ...(typeof of === 'string' ? { of: tidyName(of) } : {}),
  };
}

/** A campaign with at least one term that differs from the feed's. */
export interface OverriddenCampaign {
  readonly campaign: string;
  /** Its advertiser, by the feed; absent: every advertiser that has a campaign of this name. */
  readonly of?: string | null;
  /** The fields set by command. */
  readonly fields: readonly string[];
}

/** Returns the campaigns that commands have changed, for reports, which must mention them. */
export function overriddenCampaigns({ campaigns }: CampaignFile): OverriddenCampaign[] {
  return campaigns.map(({ name, of, ...fields }) => ({
    campaign: name,
    ...(of === undefined ? {} : { of }),
    fields: Object.keys(fields),
  }));
}

/**
 * Returns one sentence for the operator; empty if nothing was set. Names are escaped: they must not control the
 * terminal.
 */
export function overriddenNote(campaigns: readonly OverriddenCampaign[]): string {
  if (campaigns.length === 0) return '';
  const listed = campaigns.map(({ campaign, of, fields }) => {
    const owner = of == null ? '' : ` of ${printable(of)}`;
    return `${printable(campaign)}${owner} (${fields.join(', ')})`;
  });
  return `Set by command, in place of what the feed says: ${listed.join('; ')}.\n`;
}

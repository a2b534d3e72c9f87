import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { checker } from '../../models/schema/check.js';
import { Creative } from '../../models/schema/creative.js';
import { SharedStore } from '../stores/shared-store.js';

const { advertiser, pricing, budgetMicros, dailyBudgetMicros, startsAt, endsAt, frequencyCap } = Creative.properties;

/** What was set for a campaign by command. A field that is absent is the feed's; null says that there is none. */
const StoredCampaign = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
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

/** The file `DATA_DIR/campaigns.json`, which an operator may edit by hand too. */
export function campaignStore(dataDir: string): SharedStore<CampaignFile> {
  return new SharedStore<CampaignFile>(join(dataDir, 'campaigns.json'), { version: 1, campaigns: [] }, parse);
}

const check = checker(CampaignFile);

function parse(value: unknown): CampaignFile {
  const checked = check(value);
  if (!checked.ok) throw new Error(checked.faults.map(({ field, message }) => `${field} ${message}`).join('; '));
  const names = checked.value.campaigns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`${twice} stands twice among the campaigns`);
  return checked.value;
}

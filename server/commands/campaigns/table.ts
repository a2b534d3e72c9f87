import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import { decimal } from '../../../models/text/money.js';
import { drawTable } from '../../../platform/command-line/draw-table.js';

/** Formats campaigns for a terminal. An asterisk marks values set by command. */
export function campaignsTable(campaigns: readonly ListedCampaign[], currency: string): string {
  if (campaigns.length === 0) return 'no campaigns yet; a feed row or npm run campaigns -- set NAME names one';
  const head = ['campaign', 'advertiser', 'state', 'ads', 'price', 'spent', 'budget', 'today', 'daily', 'from', 'to'];
  const rows = campaigns.map((each) => {
    const marked = (field: string, value: string): string => `${value}${each.set.includes(field) ? ' *' : ''}`;
    const { pricing, frequencyCap: cap } = each;
    return [
      each.name,
      marked('advertiser', each.advertiser ?? '-') + advertiserNote(each),
      marked('paused', each.state),
      `${each.creatives}${each.takenDown > 0 ? `\n(${each.takenDown} taken down)` : ''}`,
      marked('pricing', pricing === null ? '-' : `${pricing.model} ${money(pricing.micros)}`),
      money(each.spentMicros),
      marked('budgetMicros', each.budgetMicros === null ? '-' : money(each.budgetMicros)),
      money(each.spentTodayMicros),
      marked('dailyBudgetMicros', each.dailyBudgetMicros === null ? '-' : money(each.dailyBudgetMicros)),
      marked('startsAt', each.startsAt?.slice(0, 16) ?? '-'),
      marked('endsAt', each.endsAt?.slice(0, 16) ?? '-'),
      marked('pacing', each.pacing),
      marked('frequencyCap', cap === null ? '-' : `${cap.ads}/${cap.hours}h`),
    ];
  });
  const note = campaigns.some(({ set }) => set.length > 0) ? `\n* set by command, overriding the feed` : '';
  return `${drawTable({ head: [...head, 'pacing', 'cap'] }, rows)}\nMoney in ${currency}, times in UTC.${note}`;
}

/** Names the campaign's advertiser in the feed if another advertiser pays. */
function advertiserNote({ of, advertiser }: ListedCampaign): string {
  return of === undefined || of === advertiser ? '' : `\n(of ${of ?? 'none'})`;
}

function money(micros: number): string {
  return decimal(BigInt(micros), 2);
}

import { checker } from '../../models/schema/check.js';
import { FeedRow, type Creative } from '../../models/schema/creative.js';
import { checkImage, type ImageFile } from './image-file.js';
import { readMoment } from '../../models/time/moment.js';
import { pricingFaults } from './pricing-faults.js';

const checkFeedRow = checker(FeedRow);

/** What a row is checked against, beside the schema. */
export interface RowRules {
  /** The folder that image paths start from. */
  readonly folder: string;
  readonly timeZone: string;
  /** Epoch milliseconds: what ends before is dead. */
  readonly now: number;
}

/** A row that can be indexed. */
export interface CheckedRow {
  readonly creative: Creative;
  readonly image: ImageFile | null;
}

/** @returns the row as a creative, or every fault found in it */
export async function checkRow(
  value: unknown,
  rules: RowRules,
): Promise<CheckedRow | readonly { readonly field: string; readonly message: string }[]> {
  const checked = checkFeedRow(value);
  if (!checked.ok) {
    return checked.faults.flatMap((fault) => {
      // Only an object has a fault at this field.
      const details = fault.field === 'pricing' ? pricingFaults((value as { pricing?: unknown }).pricing) : [];
      return details.length > 0 ? details : [fault];
    });
  }
  const row = checked.value;
  const faults: { field: string; message: string }[] = [];
  const startsAt = utc('startsAt');
  const endsAt = utc('endsAt');
  if (endsAt !== null && startsAt !== null && endsAt <= startsAt) {
    faults.push({ field: 'endsAt', message: `must be later than startsAt (${row.startsAt})` });
  } else if (endsAt !== null && Date.parse(endsAt) <= rules.now) {
    faults.push({ field: 'endsAt', message: `is in the past (${row.endsAt}); the creative would never be shown` });
  }
  const image = row.image === undefined ? null : await checkImage(rules.folder, row.image);
  if (typeof image === 'string') faults.push({ field: 'image', message: image });
  const blank = row.text.trim() === '';
  if (blank && row.image === undefined) faults.push({ field: 'text', message: 'must not be empty without an image' });
  if (!hasHost(row.landingUrl))
    faults.push({ field: 'landingUrl', message: 'must be an http or https address, percent-encoded' });
  if (faults.length > 0 || typeof image === 'string') return faults;
  return {
    image,
    creative: {
      id: row.id,
      name: row.name,
      text: blank ? null : row.text,
      landingUrl: row.landingUrl,
      imageFile: image?.name ?? null,
      advertiser: row.advertiser ?? null,
      campaign: row.campaign ?? null,
      categories: row.categories ?? [],
      startsAt,
      endsAt,
      pricing: row.pricing === undefined ? null : { model: row.pricing.model, micros: row.pricing.micros },
      budgetMicros: row.budgetMicros ?? null,
      dailyBudgetMicros: row.dailyBudgetMicros ?? null,
      frequencyCap:
        row.frequencyCap === undefined ? null : { ads: row.frequencyCap.ads, hours: row.frequencyCap.hours },
    },
  };

  function utc(field: 'startsAt' | 'endsAt'): string | null {
    const moment = row[field];
    if (moment === undefined) return null;
    const at = readMoment(moment, rules.timeZone);
    if (at !== undefined) return new Date(at).toISOString();
    faults.push({ field, message: `must be a moment that exists, not ${moment}` });
    return null;
  }
}

/** The schema's `uri` lets an empty or unreadable host pass. */
function hasHost(address: string): boolean {
  return URL.canParse(address) && new URL(address).hostname !== '';
}

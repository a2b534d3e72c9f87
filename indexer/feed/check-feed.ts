import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Creative, FeedRow } from '../../models/schema/creative.js';
import { DEFAULT_SOURCE, sourceOf } from '../../models/schema/source.js';
import { printable } from '../../platform/text/printable.js';
import { advertiserCheck } from './advertiser.js';
import { campaignFaults, campaignKey, unusableCampaignFaults, type UnusableRow } from './campaign.js';
import { checkRow, type CheckedRow, type FaultyRow, type RowRules } from './check-row.js';
import { misspelledField, shortName } from './field-names.js';
import { describePosition, type FeedFault, type FeedPosition, MAX_FAULTS, tooManyFaults } from './feed-entry.js';
import type { ImageFaults } from './image-file.js';
import type { Feed } from './read-feed.js';
import { spellingWarnings } from './spelling-warnings.js';
import { textWarnings } from './text-warnings.js';

/** A row that can be indexed, and its position in the feed. */
export interface FeedCreative extends CheckedRow {
  readonly position: FeedPosition;
}

/** Result of the check: the rows that can be indexed, and all faults by line. */
export interface CheckedFeed {
  readonly rows: readonly FeedCreative[];
  readonly faults: readonly FeedFault[];
  /** Faults that refuse the feed even with --skip-invalid. */
  readonly fatal: readonly FeedFault[];
  readonly warnings: readonly string[];
  /** Rows in the feed, valid or not. */
  readonly total: number;
}

/** Rules that the rows of a feed are checked against. */
export interface FeedRules extends Omit<RowRules, 'folder' | 'detected' | 'imageFaults'> {
  /** Live creatives of other sources, which stay in the catalogue. */
  readonly others?: readonly Creative[];
  /** Live creatives of the feed's own source. */
  readonly own?: readonly Creative[];
  /** Advertisers that several sources may have. */
  readonly sharedAdvertisers?: readonly string[];
  /** By id: the source of each creative that has left but whose links still work; absent: unknown. */
  readonly formerSources?: ReadonlyMap<string, string>;
  /** Creatives whose language was detected by the current rules: a row with the same text is not detected again. */
  readonly detected?: readonly Creative[];
  /** The feed's source; absent: the default one. */
  readonly source?: string;
}

const NONE: ReadonlySet<string> = new Set();

/** Rows between two turns of the event loop: detecting a language takes .1 ms per row, and the lock must stay fresh. */
const ROWS_AT_ONCE = 500;

/** Checks every row of a feed by itself, against the other rows, and against the rows of other sources. */
export async function checkFeed(feed: Feed, file: string, rules: FeedRules): Promise<CheckedFeed> {
  const { own = [], others = [], sharedAdvertisers: shared = [], source = DEFAULT_SOURCE } = rules;
  const advertisers = advertiserCheck({ source, own, others, shared });
  const taken = new Map(others.map((creative) => [creative.id, creative]));
  const ownIds = new Set(own.map(({ id }) => id));
  const formerOf = (id: string): string | undefined => {
    const former = taken.has(id) || ownIds.has(id) ? undefined : rules.formerSources?.get(id);
    return former === source ? undefined : former;
  };
  const detected = new Map((rules.detected ?? []).map((creative) => [creative.id, creative]));
  const folder = path.dirname(path.resolve(file));
  const imageFaults: ImageFaults = new Map();
  const faults: FeedFault[] = [];
  const rows: FeedCreative[] = [];
  const unusable: UnusableRow[] = [];
  const positionOfId = new Map<string, FeedPosition>();
  const unknown = new Map(feed.unknown);
  const fatal = [...feed.fatal];
  for (const [at, entry] of feed.entries.entries()) {
    if (faults.length >= MAX_FAULTS) {
      if (fatal.length === 0) fatal.push(tooManyFaults(faults.at(-1)!.position!));
      break;
    }
    if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextTurn();
    const position: FeedPosition =
      entry.row === undefined ? { line: entry.line } : { line: entry.line, row: entry.row };
    if ('fault' in entry) {
      const { field, message } = entry.fault;
      faults.push({ position, field, message });
      continue;
    }
    const { value } = entry;
    noteUnknown(unknown, value, position.line);
    const first = firstUseOf(positionOfId, value, position);
    if (first !== null) faults.push({ position, field: 'id', message: `repeats the id of ${describePosition(first)}` });
    const owner = taken.get(idOf(value) ?? '');
    if (owner !== undefined) faults.push({ position, field: 'id', message: takenBy(owner, source) });
    const former = formerOf(idOf(value) ?? '');
    if (former !== undefined) faults.push({ position, field: 'id', message: leftIn(former) });
    const checked = await checkRow(value, { ...rules, folder, detected, imageFaults }).catch(faultOfHugeRow);
    const isFaulty = 'faults' in checked;
    for (const fault of isFaulty ? checked.faults : []) faults.push({ position, ...fault });
    const part = isFaulty ? checked.sound : { creative: checked.creative, wrong: NONE };
    if (part === null) continue;
    const message = part.wrong.has('advertiser') ? null : advertisers.faultOf(part.creative);
    if (message !== null) faults.push({ position, field: 'advertiser', message });
    else if (isFaulty || first !== null || owner !== undefined || former !== undefined)
      unusable.push({ position, ...part });
    else rows.push({ position, ...checked });
  }
  const disagreeing = campaignFaults(rows, others);
  const valid = rows.filter(({ creative }) => !disagreeing.has(campaignKey(creative)));
  return {
    rows: valid,
    faults: [
      ...faults,
      ...unusableCampaignFaults(unusable, rows, others),
      ...[...disagreeing.values()].flat(),
    ].toSorted(byPosition),
    fatal,
    warnings: [
      ...unknownFields(unknown),
      ...advertisers.warningsOf(valid.map(({ creative }) => creative)),
      ...spellingWarnings(valid, others),
      ...(await textWarnings(valid)),
    ],
    total: feed.entries.length,
  };
}

/** Returns the fault of a row whose nesting or whose texts are beyond what can be checked. @throws any other error */
function faultOfHugeRow(error: unknown): FaultyRow {
  if (!(error instanceof RangeError)) throw error;
  return { faults: [{ field: '', message: 'is nested too deeply, or has a text that is too long' }], sound: null };
}

/** Sorts a fault without a row behind the rows of its line. */
const BEHIND = Number.MAX_SAFE_INTEGER;

function byPosition({ position: a }: FeedFault, { position: b }: FeedFault): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.row ?? BEHIND) - (b?.row ?? BEHIND);
}

/** Returns the position of the id's first use, even if that row is invalid; null for a new id. */
function firstUseOf(
  positionOfId: Map<string, FeedPosition>,
  value: unknown,
  position: FeedPosition,
): FeedPosition | null {
  const id = idOf(value);
  if (id === null) return null;
  const first = positionOfId.get(id);
  if (first === undefined) positionOfId.set(id, position);
  return first ?? null;
}

/** How many unknown fields are named: a table may have thousands of columns. */
const NAMED = 20;

function unknownFields(unknown: Feed['unknown']): string[] {
  const named = [...unknown]
    .slice(0, NAMED)
    .map(
      ([field, { rows, line }]) =>
        `unknown field “${shortName(field)}” in ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} (first at line ${line}) is ignored`,
    );
  const more = unknown.size - named.length;
  return more === 0 ? named : [...named, `${more.toLocaleString('en')} more unknown fields are ignored`];
}

function noteUnknown(unknown: Map<string, { rows: number; line: number }>, value: unknown, line: number): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const field of Object.keys(value)) {
    if (Object.hasOwn(FeedRow.properties, field) || misspelledField(field, value) !== undefined) continue;
    const known = unknown.get(field);
    unknown.set(field, { rows: (known?.rows ?? 0) + 1, line: known?.line ?? line });
  }
}

function idOf(value: unknown): string | null {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id : null;
}

function leftIn(former: string): string {
  return `belonged to a creative of source ${former} until recently, and its links still work; use another id, or index with --reuse-ids if both are yours`;
}

function takenBy(creative: Creative, source: string): string {
  return `belongs to “${printable(creative.name, 60)}” of source ${sourceOf(creative)}, and cannot be in source ${source} too; ids are unique over all sources`;
}

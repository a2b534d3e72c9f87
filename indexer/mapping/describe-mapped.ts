import type { Creative } from '../../models/schema/creative.js';
import { firstOf } from '../../platform/command-line/first-of.js';
import { printable } from '../../platform/text/printable.js';
import type { MappingNotes } from './map-rows.js';
import type { Mapping } from './mapping.js';

/** How many columns and values of a feed a summary names without --verbose. */
const LISTED = 12;

/**
 * Describes what a mapping did not take from a feed: rows that it left out, columns that it does not read, parts of long
 * texts; and whom the landing pages will count its clicks for.
 */
export function describeMapped(
  { leftOut, shortened, columns }: MappingNotes,
  mapping: Mapping,
  creatives: readonly Creative[],
  verbose: boolean,
): string[] {
  const unread = [...columns].filter(([key, { rows }]) => rows > 0 && !mapping.columns.has(key));
  const images = mapping.fields.has('image') ? [] : unread.filter(([key]) => key.startsWith('image'));
  return [
    ...line(
      'left out',
      Array.from(leftOut, ([reason, rows]) => `${count(rows)} ${reason}`),
      verbose,
    ),
    ...line(
      'columns not read',
      unread.map(([, { name }]) => name),
      verbose,
    ),
    ...images.map(
      ([, { name, rows }]) =>
        `  ${printable(name)} of ${count(rows)} rows: images must be files beside the feed (FEED.md)`,
    ),
    ...(shortened === 0 ? [] : [`  texts shortened to ${mapping.maxTextLength} characters: ${count(shortened)}`]),
    ...campaignsInLinks(creatives, verbose),
  ];
}

/** Tells whom `utm_source` in landing URLs names, since the advertiser's statistics will count clicks as theirs. */
function campaignsInLinks(creatives: readonly Creative[], verbose: boolean): string[] {
  const sources = new Map<string, number>();
  for (const { landingUrl } of creatives) {
    const source = landingUrl.includes('utm_source=') ? new URL(landingUrl).searchParams.get('utm_source') : null;
    if (source !== null) sources.set(source, (sources.get(source) ?? 0) + 1);
  }
  const named = Array.from(sources, ([source, links]) => `“${source}” ${count(links)}`);
  return line('utm_source of links, by which shops count these clicks', named, verbose);
}

function line(what: string, parts: readonly string[], verbose: boolean): string[] {
  if (parts.length === 0) return [];
  return [`  ${what}: ${firstOf(parts, LISTED, verbose, (part) => printable(part))}`];
}

function count(number: number): string {
  return number.toLocaleString('en');
}

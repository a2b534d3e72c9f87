import type { Creative } from '../models/schema/creative.js';

/**
 * Orders a catalogue so that live creatives keep their labels, which are their positions, unless the catalogue is now
 * too short for them. The other creatives fill the free positions. The graph of a large catalogue is continued by label
 * (`models/usearch`).
 *
 * @param creatives the creatives to publish; ids are unique
 * @param live the live creatives, in the order of the live snapshot
 */
export function keepLabels(creatives: readonly Creative[], live: readonly Creative[]): Creative[] {
  const positions = new Map(live.slice(0, creatives.length).map(({ id }, position) => [id, position]));
  const byPosition = new Map<number, Creative>();
  const others: Creative[] = [];
  for (const creative of creatives) {
    const position = positions.get(creative.id);
    if (position === undefined) others.push(creative);
    else byPosition.set(position, creative);
  }
  let taken = 0;
  return creatives.map((_, position) => byPosition.get(position) ?? others[taken++]!);
}

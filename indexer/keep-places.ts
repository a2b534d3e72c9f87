import type { Creative } from '../models/schema/creative.js';

/**
 * Orders a catalogue so that live creatives keep their places, which are their labels, unless the catalogue is now too
 * short for them. The other creatives fill the free places. The graph of a large catalogue is continued by label
 * (`models/usearch`).
 *
 * @param creatives the creatives to publish; ids are unique
 * @param live the live creatives, in the order of the live snapshot
 */
export function keepPlaces(creatives: readonly Creative[], live: readonly Creative[]): Creative[] {
  const places = new Map(live.slice(0, creatives.length).map(({ id }, place) => [id, place]));
  const byPlace = new Map<number, Creative>();
  const others: Creative[] = [];
  for (const creative of creatives) {
    const place = places.get(creative.id);
    if (place === undefined) others.push(creative);
    else byPlace.set(place, creative);
  }
  let taken = 0;
  return creatives.map((_, place) => byPlace.get(place) ?? others[taken++]!);
}

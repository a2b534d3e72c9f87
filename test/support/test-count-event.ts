import { createCountEvent, type CountEvent, type CountEventOptions } from '../../server/events/count-event.js';

/** Creates the counting of events with only those checks and stores that are given. */
export function testCountEvent(
  options: Pick<CountEventOptions, 'requestIds' | 'ledger' | 'windows'> & Partial<CountEventOptions>,
): CountEvent {
  return createCountEvent({
    budgets: null,
    dataCentres: null,
    hasFetchMetadata: true,
    hasNodes: false,
    takedowns: null,
    spool: null,
    rapidClicks: null,
    clickRates: null,
    impressionRates: null,
    recentImpressions: null,
    ...options,
  });
}

import type { IgnoredReason, NoFillReason } from '../../../models/schema/event-kinds.js';
import { format } from '../rendering/format.js';

type Reason = NoFillReason | IgnoredReason;

/** The reasons as text for operators. */
const REASONS: Readonly<Record<Reason, string>> & Readonly<Record<string, string | undefined>> = {
  'no-catalogue': 'No catalogue was published yet',
  'below-floor': 'Nothing relevant enough',
  sensitive: 'Sensitive subject: no ads by design',
  'not-eligible': 'No campaign is eligible now',
  language: 'In a language that is not supported here',
  invalid: 'Forged or damaged request id',
  missing: 'No request id',
  foreign: 'Request id of another installation, such as a copy of this one',
  expired: 'Arrived after the time limit',
  'from-future': 'Request id dated ahead of the clock',
  repeated: 'Counted already',
  'wrong-creative': 'Request id of another creative',
  test: 'From a test key',
  head: 'HEAD request, not seen by a person',
  prefetch: 'Prefetched, not viewed',
  crawler: 'A known crawler',
  'not-browser': 'Not a navigation, or no browser on a key for browsers only',
  'data-centre': 'From a data centre’s address',
  rapid: 'Click within seconds of another from the same address',
  'too-often': 'Beyond the limit of clicks or impressions per address',
  'too-soon': 'Click sooner after the ad than a person can',
  'no-impression': 'Click on an ad whose impression never came, not charged',
  'over-budget': 'Beyond the campaign’s budget, not charged',
  lost: 'Click that neither ledger nor disk could store',
  'taken-down': 'Click on a creative that was taken down',
};

/** Returns how often each reason occurred, most frequent first, without those that did not occur. */
export function sharesOf<R extends Reason>(counts: Readonly<Record<R, number>>) {
  const occurred = (Object.entries(counts) as [R, number][]).filter(([, times]) => times > 0);
  const all = occurred.reduce((sum, [, times]) => sum + times, 0);
  return occurred
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, times]) => {
      const share = times / all;
      return {
        reason,
        meaning: REASONS[reason as string] ?? 'A reason of a newer release',
        times,
        share,
        percent: format.percent(share, 1),
      };
    });
}

/** What the reasons mean, for people. */
export const REASONS: Readonly<Record<string, string>> = {
  'no-catalogue': 'No catalogue was published yet',
  'below-floor': 'Nothing relevant enough',
  sensitive: 'Sensitive subject: no ads by design',
  'not-eligible': 'No campaign that may run now',
  invalid: 'Forged or damaged request id',
  missing: 'No request id',
  expired: 'Came after its time was up',
  repeated: 'Counted already',
  'wrong-creative': 'Request id of another creative',
  test: 'Of a test key',
  head: 'HEAD request, nobody saw it',
  prefetch: 'Fetched ahead, not view',
  crawler: 'A known crawler',
  'over-budget': 'Beyond the campaign’s budget, not charged',
  lost: 'Click that could not be stored in time',
};

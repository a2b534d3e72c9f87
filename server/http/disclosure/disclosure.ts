import type { Disclosure } from '../../../models/schema/ad.js';
import { nameKey } from '../../../models/text/name-key.js';
import type { Decision } from '../../domain/decision.js';
import { wordingFor } from './wordings.js';

/** Returns who is behind an ad and why it is shown, in the ad's language. */
export function disclosureFor({ creative, feedAdvertiser }: Extract<Decision, { filled: true }>): Disclosure {
  const { advertiser: pays, language: declared, writtenIn } = creative;
  const advertiser = feedAdvertiser ?? pays;
  const payer = pays === null || nameKey(pays) === nameKey(advertiser ?? '') ? null : pays;
  const { language, title, reason, paidBy } = wordingFor(declared ?? writtenIn);
  // Isolated, since the name may run in the other direction.
  const text = payer === null ? reason : `${reason} ${paidBy}\u2068${payer}\u2069`;
  return { advertiser, payer, title, text, language };
}

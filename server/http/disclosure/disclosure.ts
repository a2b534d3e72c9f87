import type { Disclosure } from '../../../models/schema/ad.js';
import type { Creative } from '../../../models/schema/creative.js';
import { nameKey } from '../../../models/text/name-key.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import { wordingFor } from './wordings.js';

/**
 * Returns who is behind an ad and why it is shown, in the ad's language.
 *
 * @param creative as served: its advertiser is the payer, which a command may have set in place of the feed's
 * @param advertisers the feed's, on whose behalf the ad is shown
 */
export function disclosureFor(
  { id, advertiser: pays, language: declared, writtenIn }: Creative,
  advertisers: Pick<LiveIndex, 'feedAdvertiser'>,
): Disclosure {
  const advertiser = advertisers.feedAdvertiser(id) ?? pays;
  const payer = pays === null || nameKey(pays) === nameKey(advertiser ?? '') ? null : pays;
  const { language, title, reason, paidBy } = wordingFor(declared ?? writtenIn);
  // Isolated, since the name may run in the other direction.
  const text = payer === null ? reason : `${reason} ${paidBy}\u2068${payer}\u2069`;
  return { advertiser, payer, title, text, language };
}

import { labelInWords, type LanguageLabel } from '../../domain/language-label.js';
import type { LanguageSums } from '../../reports/measures.js';
import { format } from '../rendering/format.js';

/** Returns each language's number of requests and fill rate, most frequent first. */
export function fillsByLanguage(languages: Readonly<Record<LanguageLabel, LanguageSums>>) {
  return Object.entries(languages)
    .map(([label, { fills, noFills }]) => ({ label, fills, times: fills + noFills }))
    .toSorted((one, other) => other.times - one.times)
    .map(({ label, fills, times }) => {
      const share = fills / times;
      return {
        reason: label,
        meaning: labelInWords(label),
        times,
        share,
        percent: `${format.percent(share, 1)} filled`,
      };
    });
}

import type { NoFillReason } from '../../models/schema/event-kinds.js';
import type { Language } from '../../models/text/language.js';
import { languageName } from '../../models/text/language-tag.js';
import { isForeign } from '../decide/choose-winner.js';
import type { Choice, ReadRequest } from '../decide/decision-steps.js';
import type { GateVerdict } from '../decide/gate.js';
import type { ScoredCandidate } from '../decide/ranker.js';
import type { ExplainedResult, Explanation } from './explanation.js';

/** Where the floor comes from, in words. */
export const FLOOR_SOURCES: Readonly<Record<Explanation['floor']['from'], string>> = {
  publisher: 'set by the publisher',
  setting: 'the FLOOR setting',
  model: 'fitted with the model',
};

/**
 * Returns the result of a choice, with a sentence for the operator.
 *
 * @param creatives number of creatives in the catalogue
 */
export function resultOf(
  { eligible: [best], winner }: Choice,
  { floor, requester }: Pick<ReadRequest, 'floor' | 'requester'>,
  creatives: number,
): ExplainedResult {
  if (best === undefined) {
    return noAd('not-eligible', `The filters exclude all ${creatives} creatives for this publisher now.`);
  }
  const bar = `the floor is ${floor.value.toFixed(3)} (${FLOOR_SOURCES[floor.from]})`;
  if (winner === undefined) {
    return noAd('below-floor', `${named(best)} is the most relevant that may be served, ${probability(best)}; ${bar}.`);
  }
  const [isBestForeign, isWinnerForeign] = [best, winner].map(({ creative }) =>
    isForeign(creative, requester.language),
  );
  const better =
    isBestForeign && !isWinnerForeign ? 'is in the language of the conversation' : 'is expected to earn more';
  const place =
    winner === best
      ? 'is the most relevant creative that may be served'
      : `is a near-tie with ${named(best)}, and ${better}`;
  const because = `${named(winner)} ${place}, ${probability(winner)}; ${bar}.`;
  return { filled: true, creativeId: winner.creative.id, score: winner.score, because };
}

const named = ({ creative }: ScoredCandidate): string => `"${creative.name}" (${creative.id})`;
const probability = ({ score }: ScoredCandidate): string => `right with a probability of ${score.toFixed(3)}`;

/** Returns no ad, because the gate suppresses ads in such conversations. */
export function withheld({ topic }: GateVerdict): ExplainedResult {
  const about = topic === null ? '' : ` (most likely topic: ${topic})`;
  return noAd(
    'sensitive',
    `The conversation sounds like acute distress or harm${about}: such conversations get no ad.`,
  );
}

/** Returns no ad, with the reason. */
export function noAd(reason: NoFillReason, because: string): ExplainedResult {
  return { filled: false, reason, because };
}

/** Says why the catalogue cannot serve a conversation's language. */
export function languageNotServed({ requester, isSupported }: Pick<ReadRequest, 'requester' | 'isSupported'>): string {
  const name = languageInWords(requester.language);
  return isSupported
    ? `The conversation is in ${name}, and the catalogue was indexed without the encoder for it; index the feed again`
    : `The conversation is in ${name}, which is not a supported language`;
}

/** Says in words whether the newest turn has a need that an ad could serve. @param likely in [0, 1] */
export function needInWords(likely: number): string {
  const need =
    likely >= 0.5 ? 'one that an ad could serve' : likely >= 0.1 ? 'perhaps one' : 'none that an ad could serve';
  return `${need} (${percent(likely)} likely)`;
}

/** Says in words which language was detected for a conversation. */
export function languageInWords(language: Language | null): string {
  return language === null ? 'not detected' : `${languageName(language) ?? 'without a name'} (${language})`;
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

import type { NoFillReason } from '../../models/schema/event-kinds.js';
import type { Language } from '../../models/text/language.js';
import { languageName } from '../../models/text/language-tag.js';
import type { GateVerdict } from '../decide/gate.js';
import type { ExplainedCreative, Explanation } from './explanation.js';

type Outcome = Explanation['outcome'];

/** Where the floor comes from, in words. */
export const FLOOR_SOURCES: Readonly<Record<Explanation['floor']['from'], string>> = {
  publisher: 'set by the publisher',
  setting: 'the FLOOR setting',
  model: 'fitted with the model',
};

/**
 * Returns the decision's outcome for a ranking, with a sentence for the operator.
 *
 * @param best the most relevant eligible creative; undefined: none is eligible
 * @param winner the same creative, or the one that wins a near-tie with it
 * @param isForeign whether a creative is in another language than the conversation
 */
export function outcomeOf(
  best: ExplainedCreative | undefined,
  winner: ExplainedCreative | undefined,
  floor: Explanation['floor'],
  creatives: number,
  isForeign: (creative: ExplainedCreative) => boolean,
): Outcome {
  if (best === undefined || winner === undefined) {
    return noAd('not-eligible', `The filters exclude all ${creatives} creatives for this publisher now.`);
  }
  const bar = `the floor is ${floor.value.toFixed(3)} (${FLOOR_SOURCES[floor.from]})`;
  if (best.score < floor.value) {
    return noAd('below-floor', `${named(best)} is the most relevant that may be served, ${probability(best)}; ${bar}.`);
  }
  const better =
    isForeign(best) && !isForeign(winner) ? 'is in the language of the conversation' : 'is expected to earn more';
  const place =
    winner === best
      ? 'is the most relevant creative that may be served'
      : `is a near-tie with ${named(best)}, and ${better}`;
  const because = `${named(winner)} ${place}, ${probability(winner)}; ${bar}.`;
  return { filled: true, creativeId: winner.id, score: winner.score, because };
}

const named = ({ name, id }: ExplainedCreative): string => `"${name}" (${id})`;
const probability = ({ score }: ExplainedCreative): string => `right with a probability of ${score.toFixed(3)}`;

/** Returns no ad, because the gate suppresses ads in such conversations. */
export function withheld({ topic }: GateVerdict): Outcome {
  const about = topic === null ? '' : ` (most likely topic: ${topic})`;
  return noAd(
    'sensitive',
    `The conversation sounds like acute distress or harm${about}: such conversations get no ad.`,
  );
}

/** Returns no ad, with the reason. */
export function noAd(reason: NoFillReason, because: string): Outcome {
  return { filled: false, reason, because };
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

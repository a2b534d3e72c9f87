import type { Encoder } from '../../models/encoder/encoder.js';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { type Lexicon, loadLexicon } from '../../models/safety/lexicon.js';
import { type DecisionModel, loadDecisionModel } from '../../models/scoring/decision-model.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { COVERED_LANGUAGES, type Language } from '../../models/text/language.js';
import { createContextEncoder } from './encode-context.js';
import { createGate, type Gate } from './gate.js';
import { createRanker, type Ranker } from './ranker.js';

/** Decides conversations in some languages: model, gate and ranker, all fitted for one encoder. */
export interface LanguagePipeline {
  readonly model: DecisionModel;
  readonly gate: Gate;
  readonly ranker: Ranker;
  /** Returns the part of a snapshot indexed with this encoder; null: the snapshot was built without it. */
  catalogue(snapshot: ServedSnapshot): ServedSnapshot | null;
}

/**
 * Returns the pipeline for a conversation.
 *
 * @param language the conversation's; null: not detected, treated as English
 * @returns null for a language that no encoder was evaluated on
 */
export type PipelineOf = (language: Language | null) => LanguagePipeline | null;

/**
 * Creates one pipeline for English and one for the other covered languages, or a single one for an encoder that handles
 * any language (the MODEL setting's).
 */
export function createLanguagePipelines(encoder: Encoder, dataDir: string): PipelineOf {
  const lexicon = loadLexicon();
  const first = createPipeline(encoder, dataDir, lexicon, (snapshot) => snapshot);
  if (!encoder.english) return () => first;
  const other =
    encoder.multilingual && createPipeline(encoder.multilingual, dataDir, lexicon, ({ multilingual }) => multilingual);
  return (language) => {
    if (language === null || language === 'en') return first;
    return COVERED_LANGUAGES.includes(language) ? (other ?? null) : null;
  };
}

function createPipeline(
  encoder: Encoder,
  dataDir: string,
  lexicon: Lexicon,
  catalogue: LanguagePipeline['catalogue'],
): LanguagePipeline {
  const model = loadDecisionModel(dataDir, encoder.fingerprint);
  const gate = createGate(loadGateModel(encoder.fingerprint), lexicon);
  const ranker = createRanker(encoder, model, createContextEncoder(encoder, gate));
  return { model, gate, ranker, catalogue };
}

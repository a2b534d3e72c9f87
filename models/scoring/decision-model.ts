import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type, type Static } from '#typebox';
import { BUNDLED_MODELS } from '../encoder/profile.js';
import { checker, requireValid } from '../schema/check.js';

/**
 * All fitted and chosen parameters of a decision, as plain numbers: how similarity and words make a ranking, and how a
 * ranking gives a probability. Fitted for one encoder.
 */
export interface DecisionModel {
  /** Fingerprint of the encoder that it was fitted for. */
  readonly encoder: string;
  /** What shared rare words add to the similarity: `weight · b / (b + saturation)`, where b is BM25. */
  readonly lexical: { readonly weight: number; readonly saturation: number };
  /** Weight in [0, 1] of each of the fifty ranks that a smaller catalogue lacks. Absent: 1. */
  readonly missingRanks?: number;
  readonly score: Calibration;
  /** Default floor: the lowest score at which an ad is served. */
  readonly floor: number;
}

/** Names of the score's features in the order of its weights. */
export const FEATURE_NAMES = ['relevance', 'advertisable', 'mass', 'overlap'] as const;

/** Logistic map (Platt, 1999) from the features of a ranking's first ad to the probability that the ad is right. */
export interface Calibration {
  /** One for each of `FEATURE_NAMES`. */
  readonly weights: readonly number[];
  readonly bias: number;
}

// Fitted parameters are in the directory of the encoder weights that they were fitted for.
const bundledFiles = BUNDLED_MODELS.map((name) =>
  fileURLToPath(new URL(`../../../models/${name}/decision.json`, import.meta.url)),
);

/** Returns the file where `npm run calibrate` writes a model fitted to the operator's own catalogue or encoder. */
export const calibratedFile = (dataDir: string): string => path.join(dataDir, 'decision.json');

/**
 * Loads the model to decide with: the operator's own if there is one for this encoder, otherwise the bundled one,
 * otherwise (for other encoders) similarity alone under a plain calibration, which `npm run calibrate` improves.
 *
 * @throws Error if a file is damaged, or the operator's asks for something that is no longer computed
 */
export function loadDecisionModel(dataDir: string, encoderFingerprint: string): DecisionModel {
  for (const file of [calibratedFile(dataDir), ...bundledFiles]) {
    if (!existsSync(file)) continue;
    const model = readModel(file, encoderFingerprint);
    if (model !== null) return model;
  }
  return plainModel(encoderFingerprint);
}

/**
 * Returns whether the operator's own model is ignored because it was fitted for another encoder.
 *
 * @throws Error as `loadDecisionModel` does
 */
export function isForOtherEncoder(dataDir: string, encoderFingerprint: string): boolean {
  const file = calibratedFile(dataDir);
  return existsSync(file) && readModel(file, encoderFingerprint) === null;
}

/** Returns a model that uses similarity alone, for an encoder that nothing was fitted for. */
export function plainModel(encoder: string): DecisionModel {
  return {
    encoder,
    lexical: { weight: 0, saturation: 1 },
    // With general sentence encoders, right ads mostly have similarities above .45, small talk below .3.
    score: { weights: [16, 0, 0, 0], bias: -6.8 },
    floor: 0.6,
  };
}

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** The format on disk: the score's weights by name. */
const StoredModel = Type.Object({
  encoder: Type.String(),
  lexical: Type.Object({ weight: Type.Number(), saturation: Type.Number({ exclusiveMinimum: 0 }) }),
  missingRanks: Type.Optional(Share),
  score: Type.Object({
    weights: Type.Union([
      Type.Record(Type.String(), Type.Number()),
      Type.Array(Type.Number(), { minItems: 3, maxItems: 4 }),
    ]),
    bias: Type.Number(),
  }),
  floor: Share,
  /** In files from before 2026-11-29: which ads are read again beside the conversation. Null: none. */
  judge: Type.Optional(Type.Unknown()),
  /** In files from before 2026-11-29: how far the query moves towards the last turn, at most. */
  lastTurn: Type.Optional(Type.Union([Type.Object({ most: Type.Number() }), Type.Null()])),
});
type StoredModel = Static<typeof StoredModel>;
const check = checker(StoredModel);

/**
 * Reads a model.
 *
 * @returns null if it was fitted for another encoder
 * @throws Error if the file is damaged, or asks for something that is no longer computed
 */
function readModel(file: string, encoderFingerprint: string): DecisionModel | null {
  try {
    const stored = requireValid(check(JSON.parse(readFileSync(file, 'utf8'))));
    return stored.encoder === encoderFingerprint ? modelOf(stored) : null;
  } catch (error) {
    throw new Error(
      `${file} cannot be used: ${(error as Error).message}; remove the file, then run: npm run calibrate`,
      { cause: error },
    );
  }
}

function modelOf({ judge = null, lastTurn, score, ...plain }: StoredModel): DecisionModel {
  if (judge !== null) throw new Error('its "judge" asks for a second ranking, which this version no longer has');
  if ((lastTurn?.most ?? 0) !== 0) {
    throw new Error('its "lastTurn" gives the last turn a weight of its own, which this version no longer does');
  }
  return { ...plain, score: { weights: weightsOf(score.weights), bias: score.bias } };
}

/**
 * Returns the weights of a stored score in the order of their features; 0 for a feature that was none when it was
 * fitted. Until 2026-11-28 weights had no names, and the first files lack that of overlap.
 *
 * @throws Error for a weight of no feature
 */
function weightsOf(stored: StoredModel['score']['weights']): readonly number[] {
  if (!Array.isArray(stored)) {
    const unknown = Object.keys(stored).find((name) => !(FEATURE_NAMES as readonly string[]).includes(name));
    if (unknown === undefined) return FEATURE_NAMES.map((name) => stored[name] ?? 0);
    throw new Error(`the score has no feature "${unknown}", only ${FEATURE_NAMES.join(', ')}`);
  }
  return stored.length < FEATURE_NAMES.length ? [...stored, 0] : stored;
}

/** Formats a model as the file that `readModel` reads. */
export function modelText({ score, ...plain }: DecisionModel): string {
  const weights = Object.fromEntries(score.weights.map((weight, at) => [FEATURE_NAMES[at]!, weight]));
  const stored: StoredModel = { ...plain, score: { weights, bias: score.bias } };
  return `${JSON.stringify(stored, null, 2)}\n`;
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readModel } from './stored-model.js';

/**
 * Everything learnt or chosen about deciding, as plain numbers: how the readings of a context are put together, how
 * similarity and words make a ranking, and how a ranking makes a probability. Fitted for one encoder.
 */
export interface DecisionModel {
  /** Fingerprint of the encoder it was fitted for. */
  readonly encoder: string;
  /** How much the last turn adds to the whole: at most `most`, by a logistic gate over both vectors; null: always `most`. */
  readonly lastTurn: { readonly most: number; readonly gate: Linear | null };
  /** What shared rare words add to the similarity: `weight · b / (b + saturation)`, b being BM25. */
  readonly lexical: { readonly weight: number; readonly saturation: number };
  readonly score: Calibration;
  /** Lowest score at which an ad is shown unless set otherwise. */
  readonly floor: number;
}

/** `weights · x + bias`. */
export interface Linear {
  readonly weights: Float32Array;
  readonly bias: number;
}

/** A logistic map (Platt, 1999) from the features of a ranking's top to the probability that it is right. */
export interface Calibration {
  /** For relevance, advertisable and mass. */
  readonly weights: readonly [number, number, number];
  readonly bias: number;
}

const bundledFile = fileURLToPath(new URL('../../../models/scoring/decision.json', import.meta.url));

/** Where `npm run calibrate` puts a model fitted to an operator's own catalogue or encoder. */
export const calibratedFile = (dataDir: string): string => path.join(dataDir, 'decision.json');

/**
 * The model to decide with: the operator's own if there is one for this encoder, else the bundled one, else (for
 * another encoder) similarity alone under a plain calibration, which `npm run calibrate` improves.
 *
 * @throws Error when a file is damaged
 */
export function loadDecisionModel(dataDir: string, encoderFingerprint: string): DecisionModel {
  for (const file of [calibratedFile(dataDir), bundledFile]) {
    if (!existsSync(file)) continue;
    const model = readModel(file);
    if (model.encoder === encoderFingerprint) return model;
  }
  return plainModel(encoderFingerprint);
}

/** Whether the operator's own model was fitted for another encoder, and is passed over. @throws Error when it is damaged */
export function isPassedOver(dataDir: string, encoderFingerprint: string): boolean {
  const file = calibratedFile(dataDir);
  return existsSync(file) && readModel(file).encoder !== encoderFingerprint;
}

/** Similarity alone: what is right for an encoder about which nothing is known. */
export function plainModel(encoder: string): DecisionModel {
  return {
    encoder,
    lastTurn: { most: 0, gate: null },
    lexical: { weight: 0, saturation: 1 },
    // General sentence encoders: right ads lie mostly above .45, small talk below .3.
    score: { weights: [16, 0, 0], bias: -6.8 },
    floor: 0.6,
  };
}

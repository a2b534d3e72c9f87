import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLED_MODELS } from '../encoder/profile.js';

/**
 * Everything learnt or chosen about deciding, as plain numbers: how the vectors of a context are combined, how
 * similarity and words make a ranking, and how a ranking makes a probability. Fitted for one encoder.
 */
export interface DecisionModel {
  /** Fingerprint of the encoder it was fitted for. */
  readonly encoder: string;
  /** How much the last turn adds to the whole: at most `most`, by a logistic gate over both vectors; null: always `most`. */
  readonly lastTurn: { readonly most: number; readonly gate: Linear | null };
  /** What shared rare words add to the similarity: `weight · b / (b + saturation)`, b being BM25. */
  readonly lexical: { readonly weight: number; readonly saturation: number };
  /** Which candidates a joint encoder judges: at most so many, those within this relevance of the best. Null: it judges none. */
  readonly judge: { readonly most: number; readonly within: number } | null;
  /** How much each of the fifty ranks counts that a smaller catalogue lacks, in [0, 1]. Absent: 1. */
  readonly missingRanks?: number;
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
  /** For relevance, advertisable and mass, and the judgement where the encoder judges. */
  readonly weights: readonly number[];
  readonly bias: number;
}

// Fitted numbers lie beside the weights that they were fitted for.
const bundledFiles = BUNDLED_MODELS.map((name) =>
  fileURLToPath(new URL(`../../../models/${name}/decision.json`, import.meta.url)),
);

/** Where `npm run calibrate` puts a model fitted to an operator's own catalogue or encoder. */
export const calibratedFile = (dataDir: string): string => path.join(dataDir, 'decision.json');

/**
 * The model to decide with: the operator's own if there is one for this encoder, else the bundled one, else (for
 * another encoder) similarity alone under a plain calibration, which `npm run calibrate` improves.
 *
 * @throws Error when a file is damaged
 */
export function loadDecisionModel(dataDir: string, encoderFingerprint: string): DecisionModel {
  for (const file of [calibratedFile(dataDir), ...bundledFiles]) {
    if (!existsSync(file)) continue;
    const model = readModel(file);
    if (model.encoder === encoderFingerprint) return model;
  }
  return plainModel(encoderFingerprint);
}

/** Whether the operator's own model was fitted for another encoder, and is therefore ignored. @throws Error when it is damaged */
export function isForOtherEncoder(dataDir: string, encoderFingerprint: string): boolean {
  const file = calibratedFile(dataDir);
  return existsSync(file) && readModel(file).encoder !== encoderFingerprint;
}

/** Similarity alone: what is right for an encoder about which nothing is known. */
export function plainModel(encoder: string): DecisionModel {
  return {
    encoder,
    lastTurn: { most: 0, gate: null },
    lexical: { weight: 0, saturation: 1 },
    judge: null,
    // General sentence encoders: right ads lie mostly above .45, small talk below .3.
    score: { weights: [16, 0, 0], bias: -6.8 },
    floor: 0.6,
  };
}

/** As it lies on the disk: vectors as base64 of little-endian float32. */
interface StoredModel extends Omit<DecisionModel, 'lastTurn'> {
  readonly lastTurn: { readonly most: number; readonly gate: StoredLinear | null };
}
interface StoredLinear {
  readonly weights: string;
  readonly bias: number;
}

/** @throws Error when the file is damaged */
export function readModel(file: string): DecisionModel {
  const stored = parsed(file);
  const { gate } = stored.lastTurn;
  return {
    ...stored,
    judge: stored.judge ?? null,
    lastTurn: { most: stored.lastTurn.most, gate: gate && linear(gate) },
  };
}

/** The text of the file that `readModel` reads. */
export function modelText({ lastTurn, ...plain }: DecisionModel): string {
  const stored: StoredModel = {
    ...plain,
    lastTurn: { most: lastTurn.most, gate: lastTurn.gate && storedLinear(lastTurn.gate) },
  };
  return `${JSON.stringify(stored, null, 2)}\n`;
}

function parsed(file: string): StoredModel {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StoredModel;
  } catch (error) {
    throw new Error(`${file} is damaged: ${(error as Error).message}; remove it, or run: npm run calibrate`, {
      cause: error,
    });
  }
}

function linear({ weights, bias }: StoredLinear): Linear {
  return { weights: floats(weights), bias };
}

function storedLinear({ weights, bias }: Linear): StoredLinear {
  return { weights: base64(weights), bias };
}

function floats(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer);
}

function base64(values: Float32Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
}

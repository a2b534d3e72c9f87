import { readFileSync } from 'node:fs';
import type { DecisionModel, Linear } from './decision-model.js';

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

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Probe } from '../encoder/probe.js';

/** What was fitted to hear distress in a conversation, for one encoder. What it was trained on: the folder's README. */
export interface GateModel {
  /** Fingerprint of the encoder it was fitted for. */
  readonly encoder: string;
  /** Log odds from which on a conversation counts as sensitive. */
  readonly threshold: number;
  /** How many of the newest user turns are heard on their own. */
  readonly turns: number;
  /** How the turns are pooled, and when one of them alone is enough. */
  readonly softness: number;
  readonly gain: number;
  readonly offset: number;
  /** Log odds → probability (Platt, 1999). */
  readonly platt: readonly [number, number];
  readonly experts: readonly Expert[];
  /** What single words say of a turn. */
  readonly words: ReadonlyMap<string, number>;
  /** What any alarming pattern adds to it. */
  readonly alarm: number;
  readonly topics: {
    readonly names: readonly string[];
    /** names × dims, row-major. */
    readonly weights: Float32Array;
    readonly biases: readonly number[];
  };
}

/** One of the voices whose log odds are averaged by their shares. */
export interface Expert {
  readonly share: number;
  /** Whether it also counts words. */
  readonly words: boolean;
  /** For the newest end of the whole conversation. */
  readonly whole: Head;
  /** For one user turn. */
  readonly turn: Head;
}

/** `bias + mean · vector + probe(token states)`. */
export interface Head {
  readonly bias: number;
  readonly mean: Float32Array;
  /** Name under which the encoder runs the head's probe; null: none. */
  readonly probe: string | null;
}

/** The model's probes by name, for the encoder's workers. */
export type Probes = Readonly<Record<string, Probe>>;

interface StoredHead {
  readonly bias: number;
  readonly mean: string;
  readonly heads: number;
  readonly queries: string;
  readonly values: string;
}
interface StoredExpert {
  readonly share: number;
  readonly words: boolean;
  readonly whole: StoredHead;
  readonly turn: StoredHead;
}
interface StoredGate extends Omit<GateModel, 'experts' | 'words' | 'alarm' | 'topics'> {
  readonly experts: readonly StoredExpert[];
  readonly words: Readonly<Record<string, number>>;
  readonly wordsPattern: number;
  readonly topics: { readonly names: readonly string[]; readonly weights: string; readonly biases: readonly number[] };
}

const file = fileURLToPath(new URL('../../../models/safety/gate.json', import.meta.url));

/** The bundled gate with its probes; null for an encoder that it was not fitted for. */
export function loadGateModel(
  encoderFingerprint: string,
): { readonly model: GateModel; readonly probes: Probes } | null {
  const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredGate;
  if (stored.encoder !== encoderFingerprint) return null;
  const probes: Record<string, Probe> = {};
  const head = (name: string, { bias, mean, heads, queries, values }: StoredHead): Head => {
    if (heads > 0) probes[name] = { heads, queries: floats(queries), values: floats(values) };
    return { bias, mean: floats(mean), probe: heads > 0 ? name : null };
  };
  const experts = stored.experts.map(({ share, words, whole, turn }, at) => {
    return { share, words, whole: head(`whole-${at}`, whole), turn: head(`turn-${at}`, turn) };
  });
  const { names, weights, biases } = stored.topics;
  const topics = { names, weights: floats(weights), biases };
  const words = new Map(Object.entries(stored.words));
  return { model: { ...stored, experts, words, alarm: stored.wordsPattern, topics }, probes };
}

function floats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUNDLED_MODELS } from '../encoder/profile.js';

/** Parameters that turn an encoder's signals into the gate's verdict. The folder's README describes the signals. */
export interface GateModel {
  /** Fingerprint of the encoder for whose signals these parameters were chosen. */
  readonly encoder: string;
  /** Log odds at and above which a conversation is sensitive. */
  readonly threshold: number;
  /** Number of newest user turns that are encoded separately. */
  readonly turns: number;
  /** How turns are pooled (`softness`), and when a single turn is enough (`gain`, `offset`). */
  readonly softness: number;
  readonly gain: number;
  readonly offset: number;
  /**
   * Factor by which the log odds of a need are subtracted from those of distress, since people who want something are
   * seldom in distress. Absent: 0.
   */
  readonly need?: number;
  /** Log odds → probability (Platt, 1999). */
  readonly platt: readonly [number, number];
  /** Name of each topic signal. Signals with the same name are summed. */
  readonly topics: readonly string[];
  /** With a second encoder: how both encoders' log odds are combined, and the model for its own. */
  readonly second?: {
    readonly weights: readonly [first: number, second: number];
    readonly bias: number;
    /** Its `turns` is the number of newest user turns that the second encoder needs in this combination. */
    readonly model: GateModel;
  };
}

/** The format on disk: refers to the second gate by its encoder. */
interface StoredGate extends Omit<GateModel, 'second'> {
  readonly second?: Omit<NonNullable<GateModel['second']>, 'model'> & Pick<GateModel, 'encoder' | 'turns'>;
}

// Fitted parameters are in the directory of the encoder weights that they were fitted for.
const files = BUNDLED_MODELS.map((name) =>
  fileURLToPath(new URL(`../../../models/${name}/gate.json`, import.meta.url)),
).filter((file) => existsSync(file));

/**
 * Loads the gate fitted for an encoder; null if there is none.
 *
 * @throws Error if the gate of its second encoder is missing
 */
export function loadGateModel(encoderFingerprint: string): GateModel | null {
  const stored = bundledGates().find(({ encoder }) => encoder === encoderFingerprint);
  if (stored === undefined) return null;
  const { second, ...own } = stored;
  if (second === undefined) return own;
  const model = loadGateModel(second.encoder);
  if (model === null) throw new Error(`no gate.json for the second encoder ${second.encoder}`);
  const { weights, bias, turns } = second;
  return { ...own, second: { weights, bias, model: { ...model, turns } } };
}

/** Returns the topics that the bundled gates distinguish, each once, in alphabetical order. */
export function gateTopics(): readonly string[] {
  return [...new Set(bundledGates().flatMap(({ topics }) => topics))].toSorted();
}

function bundledGates(): StoredGate[] {
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as StoredGate);
}

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUNDLED_MODELS } from '../encoder/profile.js';

/** How the gate's verdict follows from an encoder's signals. Where the signals come from: the folder's README. */
export interface GateModel {
  /** Fingerprint of the encoder whose signals these numbers were chosen for. */
  readonly encoder: string;
  /** Log odds from which on a conversation counts as sensitive. */
  readonly threshold: number;
  /** How many of the newest user turns are encoded on their own. */
  readonly turns: number;
  /** How the turns are pooled, and when one of them alone is enough. */
  readonly softness: number;
  readonly gain: number;
  readonly offset: number;
  /** What a log odds of a need takes from those of distress; 0 where it is left out. Who wants something is seldom in distress. */
  readonly need?: number;
  /** Log odds → probability (Platt, 1999). */
  readonly platt: readonly [number, number];
  /** Name of each topic signal; signals of one name count together. */
  readonly topics: readonly string[];
  /** With a second reader: how its log odds and the first's make one, and how its own come about. */
  readonly second?: {
    readonly weights: readonly [first: number, second: number];
    readonly bias: number;
    /** `turns` of it is how many of the newest user turns it needs here. */
    readonly model: GateModel;
  };
}

/** As it lies on the disk: the second reader's gate by its encoder. */
interface StoredGate extends Omit<GateModel, 'second'> {
  readonly second?: Omit<NonNullable<GateModel['second']>, 'model'> & Pick<GateModel, 'encoder' | 'turns'>;
}

// Fitted numbers lie beside the weights that they were fitted for.
const files = BUNDLED_MODELS.map((name) =>
  fileURLToPath(new URL(`../../../models/${name}/gate.json`, import.meta.url)),
).filter((file) => existsSync(file));

/** The gate fitted for an encoder; null where none was. @throws Error when the gate of its second reader is missing */
export function loadGateModel(encoderFingerprint: string): GateModel | null {
  const stored = bundledGates().find(({ encoder }) => encoder === encoderFingerprint);
  if (stored === undefined) return null;
  const { second, ...own } = stored;
  if (second === undefined) return own;
  const model = loadGateModel(second.encoder);
  if (model === null) throw new Error(`no gate.json for the second reader ${second.encoder}`);
  const { weights, bias, turns } = second;
  return { ...own, second: { weights, bias, model: { ...model, turns } } };
}

/** The topics that the bundled gates distinguish, each once, in alphabetical order. */
export function gateTopics(): readonly string[] {
  return [...new Set(bundledGates().flatMap(({ topics }) => topics))].toSorted();
}

function bundledGates(): StoredGate[] {
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as StoredGate);
}

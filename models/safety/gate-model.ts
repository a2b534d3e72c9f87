import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
  /** Log odds → probability (Platt, 1999). */
  readonly platt: readonly [number, number];
  /** Name of each topic signal; signals of one name count together. */
  readonly topics: readonly string[];
}

const file = fileURLToPath(new URL('../../../models/safety/gate.json', import.meta.url));

/** The bundled gate; null for an encoder that it was not fitted for. */
export function loadGateModel(encoderFingerprint: string): GateModel | null {
  const model = bundledGate();
  return model.encoder === encoderFingerprint ? model : null;
}

/** The topics that the bundled gate distinguishes, each once, in alphabetical order. */
export function gateTopics(): readonly string[] {
  return [...new Set(bundledGate().topics)].toSorted();
}

function bundledGate(): GateModel {
  return JSON.parse(readFileSync(file, 'utf8')) as GateModel;
}

import type { Signals } from './signals.js';

/** What a text is: an advertiser's creative, or what is being talked about. The two are cut differently. */
export type TextKind = 'creative' | 'context';

/** What one pass over a context gives. */
export interface Encoding {
  readonly vector: Float32Array;
  /** null: this encoder gives none. */
  readonly signals: Signals | null;
}

/**
 * Turns text into a unit vector. Implementations run the model off the event loop.
 */
export interface Encoder {
  /** Identifies model and settings: equal fingerprints mean comparable vectors. */
  readonly fingerprint: string;
  /** Length of every vector. */
  readonly dims: number;
  /**
   * @returns an L2-normalised vector of `dims` numbers
   * @throws EncoderBusyError when the queue in front of the workers is full
   */
  embed(text: string, kind: TextKind): Promise<Float32Array>;
  /** As `embed` of a context, with the signals of the same pass. @throws EncoderBusyError */
  encodeWithSignals(text: string): Promise<Encoding>;
  /** Lets running work end, then frees the workers. */
  close(): Promise<void>;
}

/** The bounded queue in front of the workers is full; try again after `retryAfterSeconds`. */
export class EncoderBusyError extends Error {
  readonly retryAfterSeconds = 1;
  constructor() {
    super('the encoder is busy');
    this.name = 'EncoderBusyError';
  }
}

/** What a text is: an advertiser's creative, or what is being talked about. The two are cut differently. */
export type TextKind = 'creative' | 'context';

/** A context's vector, and the probes' words on it in the order of their names. */
export interface Probed {
  readonly vector: Float32Array;
  readonly says: readonly number[];
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
  /**
   * As `embed` of a context, with what the named probes say of its tokens, from the same pass.
   *
   * @param probes names of probes that this encoder was started with; others say 0
   * @throws EncoderBusyError
   */
  probe(text: string, probes: readonly string[]): Promise<Probed>;
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

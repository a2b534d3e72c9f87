import type { Signals } from './signals.js';

/** What a text is: an advertiser's creative, or what is being talked about. The two are cut differently. */
export type TextKind = 'creative' | 'context';

/** Who speaks. What a system prompt or a tool says is nobody's need. */
export type Speaker = 'user' | 'assistant' | 'system';

/** One turn of a conversation, without its mark. */
export interface Turn {
  readonly speaker: Speaker;
  readonly text: string;
}

/** What one pass over a context gives. */
export interface Encoding {
  readonly vector: Float32Array;
  /** null: this encoder gives none. */
  readonly signals: Signals | null;
}

/** A conversation as a joint encoder read it. */
export interface Reading extends Encoding {
  /** Whether every turn was read whole; otherwise only the newest part was. */
  readonly complete: boolean;
  /** What ads are judged in the light of: keys and values of the joint layers, tokens × dims each. Null: not kept. */
  readonly memory: Float32Array | null;
}

/** An ad to be judged beside a conversation. */
export interface RerankCandidate {
  /** As `creativeText` gives it. */
  readonly text: string;
  /** Cosine between the conversation's vector and the ad's. */
  readonly similarity: number;
}

/** An encoder whose upper layers can also read an ad in the light of a conversation (a cross-encoder that shares its trunk). */
export interface JointEncoder {
  /**
   * @param turns oldest first
   * @param keep whether ads will be judged
   * @param signal see `Encoder`
   * @throws EncoderBusyError
   */
  read(turns: readonly Turn[], keep: boolean, signal?: AbortSignal): Promise<Reading>;
  /**
   * @param reading with its memory
   * @param signal see `Encoder`
   * @returns for each ad the log odds that it is right in this conversation
   * @throws EncoderBusyError
   */
  judge(reading: Reading, ads: readonly RerankCandidate[], signal?: AbortSignal): Promise<Float32Array>;
}

/**
 * A smaller encoder that reads the same texts in its own way. Two encoders seldom make the same mistake, so that their
 * similarities together order ads better than either alone.
 */
export interface SecondEncoder {
  readonly encoder: BasicEncoder;
  /** How much its similarity counts where the first one's counts 1. */
  readonly weight: number;
}

/** An encoder that reads one text at a time. */
export type BasicEncoder = Pick<Encoder, 'embed' | 'encodeWithSignals'>;

/**
 * Turns text into a unit vector. Implementations run the model off the event loop. Work whose `signal` is aborted is not
 * begun any more, and rejected with the signal's reason.
 */
export interface Encoder {
  /** Identifies model and settings: equal fingerprints mean comparable vectors. */
  readonly fingerprint: string;
  /** Length of a creative's vector and of a query: its own, and the second reader's behind it. */
  readonly dims: number;
  /**
   * @returns a unit vector of its own, without the second reader's
   * @throws EncoderBusyError when the queue in front of the workers is full
   */
  embed(text: string, kind: TextKind): Promise<Float32Array>;
  /** As `embed` of a context, with the signals of the same pass. @throws EncoderBusyError */
  encodeWithSignals(text: string, signal?: AbortSignal): Promise<Encoding>;
  /** Absent: this encoder judges nothing; similarity ranks. */
  readonly joint?: JointEncoder | undefined;
  /** Absent: it reads alone. */
  readonly second?: SecondEncoder | undefined;
  /** It was made for English; otherwise it reads whatever comes. */
  readonly english?: boolean;
  /** Beside one for English: what reads other languages, with vectors of its own. Absent: nothing does. */
  readonly multilingual?: Encoder | undefined;
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

import type { Signals } from './signals.js';

/** Kind of a text: an advertiser's creative, or the context of a request. The two are truncated differently. */
export type TextKind = 'creative' | 'context';

/** Speaker of a turn. System prompts and tool output express no need of the user. */
export type Speaker = 'user' | 'assistant' | 'system';

/** One turn of a conversation, without its speaker label. */
export interface Turn {
  readonly speaker: Speaker;
  readonly text: string;
}

/** Result of one pass over a context. */
export interface Encoding {
  readonly vector: Float32Array;
  /** Null: this encoder has none. */
  readonly signals: Signals | null;
}

/** A joint encoder's encoding of a conversation. */
export interface Reading extends Encoding {
  /** False if older turns were dropped, or a user's turn was shortened. */
  readonly complete: boolean;
}

/** An encoder that reads all turns of a conversation in one pass. */
export interface JointEncoder {
  /**
   * Encodes a conversation.
   *
   * @param turns oldest first
   * @param signal see `Encoder`
   * @throws EncoderBusyError
   */
  read(turns: readonly Turn[], signal?: AbortSignal): Promise<Reading>;
}

/**
 * A smaller encoder for the same texts. Two encoders seldom make the same mistake, so their combined similarities order
 * ads better than either alone.
 */
export interface SecondEncoder {
  readonly encoder: BasicEncoder;
  /** Weight of its similarity; the first encoder's has weight 1. */
  readonly weight: number;
}

/** An encoder of single texts. */
export type BasicEncoder = Pick<Encoder, 'embed' | 'encodeWithSignals'>;

/**
 * Turns text into a unit vector. Implementations run the model off the event loop. A task whose `signal` is aborted
 * before it starts is dropped, and rejects with the signal's reason.
 */
export interface Encoder {
  /** Identifies model and settings: equal fingerprints mean comparable vectors. */
  readonly fingerprint: string;
  /** Length of a creative's vector and of a query: that of its own vectors plus the second encoder's. */
  readonly dims: number;
  /**
   * @returns this encoder's unit vector, without the second encoder's
   * @throws EncoderBusyError if the queue of the workers is full
   */
  embed(text: string, kind: TextKind): Promise<Float32Array>;
  /** Embeds a context, and returns the signals of the same pass too. @throws EncoderBusyError */
  encodeWithSignals(text: string, signal?: AbortSignal): Promise<Encoding>;
  /** Absent: this encoder encodes a conversation turn by turn. */
  readonly joint?: JointEncoder | undefined;
  /** Absent: there is no second encoder. */
  readonly second?: SecondEncoder | undefined;
  /** Whether it was trained for English only; otherwise it encodes text of any language. */
  readonly english?: boolean;
  /** The encoder for other languages beside one for English, with vectors of its own. Absent: there is none. */
  readonly multilingual?: Encoder | undefined;
  /** Waits for running and queued tasks, then stops the workers. */
  close(): Promise<void>;
}

/** The workers' bounded queue is full, or no worker runs; retry after `retryAfterSeconds`. */
export class EncoderBusyError extends Error {
  readonly retryAfterSeconds = 1;
  constructor() {
    super('the encoder is busy');
    this.name = 'EncoderBusyError';
  }
}

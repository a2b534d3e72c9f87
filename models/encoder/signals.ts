/**
 * What an encoder says of a text beside its vector, in log odds: from layers of its own above those that both share, so
 * that it costs half a pass more and not a second model.
 */
export interface Signals {
  /** Acute distress or harm: when the text is a whole conversation, and when it is one turn. */
  readonly sensitive: WholeAndTurn;
  /** Something could be advertised here: likewise, the turn being the newest. The two are added. */
  readonly advertisable: WholeAndTurn;
  /** What distress is about, one for each of the gate's topics, before the softmax. */
  readonly topics: Float32Array;
}

export interface WholeAndTurn {
  readonly whole: number;
  readonly turn: number;
}

/** @param values the model's output `signals`: sensitive and advertisable for whole and turn, then the topics */
export function readSignals(values: Float32Array): Signals {
  return {
    sensitive: { whole: values[0]!, turn: values[1]! },
    advertisable: { whole: values[2]!, turn: values[3]! },
    topics: values.slice(4),
  };
}

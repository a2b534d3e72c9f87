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

/**
 * @param values a model's output `signals`: sensitive and advertisable for whole and turn, then the topics
 * @throws Error when they are something else of that name
 */
export function readSignals(values: Float32Array): Signals {
  if (values.length < 5 || !values.every(Number.isFinite)) {
    throw new Error(
      `the model's output "signals" must be five finite numbers or more, not ${values.length} of any kind`,
    );
  }
  return {
    sensitive: { whole: values[0]!, turn: values[1]! },
    advertisable: { whole: values[2]!, turn: values[3]! },
    topics: values.slice(4),
  };
}

/**
 * The signals of a joint encoder, which reads a conversation once: one answer each, that counts for the whole.
 *
 * @param values distress, need, then the topics
 * @throws Error when they are something else of that name
 */
export function readJointSignals(values: Float32Array): Signals {
  if (values.length < 2 || !values.every(Number.isFinite)) {
    throw new Error(
      `the model's output "signals" must be two finite numbers or more, not ${values.length} of any kind`,
    );
  }
  return {
    sensitive: { whole: 0, turn: values[0]! },
    advertisable: { whole: values[1]!, turn: 0 },
    topics: values.slice(2),
  };
}

/**
 * What an encoder predicts about a text in addition to its vector, in log odds. It comes from separate layers above the
 * shared ones, and so costs half a pass more instead of a second model.
 */
export interface Signals {
  /** Acute distress or harm: for a text that is a whole conversation, and for one that is a single turn. */
  readonly sensitive: WholeAndTurn;
  /** Whether an ad would fit here: likewise, where the turn is the newest. The two are added. */
  readonly advertisable: WholeAndTurn;
  /** Topic of the distress: one value per topic of the gate, before the softmax. */
  readonly topics: Float32Array;
}

export interface WholeAndTurn {
  readonly whole: number;
  readonly turn: number;
}

/**
 * Reads an encoder's signals.
 *
 * @param values a model's output `signals`: sensitive and advertisable for whole and turn, then the topics
 * @throws Error if the output has another form
 */
export function readSignals(values: Float32Array): Signals {
  if (values.length < 5 || !values.every(Number.isFinite)) {
    throw new Error(
      `the model's output "signals" must be at least five numbers, all finite; it has ${values.length}${notFinite(values)}`,
    );
  }
  return {
    sensitive: { whole: values[0]!, turn: values[1]! },
    advertisable: { whole: values[2]!, turn: values[3]! },
    topics: values.slice(4),
  };
}

/**
 * Reads the signals of a joint encoder, which encodes a conversation once: one value each, for the whole conversation.
 *
 * @param values distress, need, then the topics
 * @throws Error if the output has another form
 */
export function readJointSignals(values: Float32Array): Signals {
  if (values.length < 2 || !values.every(Number.isFinite)) {
    throw new Error(
      `the model's output "signals" must be at least two numbers, all finite; it has ${values.length}${notFinite(values)}`,
    );
  }
  return {
    sensitive: { whole: 0, turn: values[0]! },
    advertisable: { whole: values[1]!, turn: 0 },
    topics: values.slice(2),
  };
}

function notFinite(values: Float32Array): string {
  return values.every(Number.isFinite) ? '' : ', not all of them finite';
}

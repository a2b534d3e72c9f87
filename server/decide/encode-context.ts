import type { Encoder } from '../../models/encoder/encoder.js';
import { encodeInOnePass } from './encode-in-one-pass.js';
import { encodeTurnByTurn } from './encode-turn-by-turn.js';
import type { EncodeContext } from './encoded-context.js';
import type { Gate } from './gate.js';

/**
 * Creates the function that encodes conversations, in one pass if the encoder is a joint encoder.
 *
 * @param gate max number of texts to encode beside the whole, at least one; likewise for the second encoder
 */
export function createContextEncoder(
  encoder: Encoder,
  gate: Pick<Gate, 'turns' | 'secondTurns'> = { turns: 1, secondTurns: 1 },
): EncodeContext {
  const { joint, second } = encoder;
  const first = joint === undefined ? encodeTurnByTurn(encoder, gate.turns) : encodeInOnePass(joint, gate.turns);
  if (second === undefined) return first;
  const again = encodeTurnByTurn(second.encoder, gate.secondTurns);
  return async (conversation, owner, signal) => {
    const [read, { whole, turns }] = await Promise.all([
      first(conversation, owner, signal),
      again(conversation, owner, signal),
    ]);
    return { ...read, second: { whole, turns } };
  };
}

import type { Encoder } from '../../models/encoder/encoder.js';
import { encodeTurnByTurn } from './encode-turns.js';
import type { EncodeContext } from './encoded-context.js';
import type { Gate } from './gate.js';
import { encodeConversation } from './encode-conversation.js';

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
  const first = joint === undefined ? encodeTurnByTurn(encoder, gate.turns) : encodeConversation(joint, gate.turns);
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

import type { Encoder } from '../../models/encoder/encoder.js';
import { encodeTurnByTurn } from './encode-turns.js';
import type { EncodeContext } from './encoded-context.js';
import type { Gate } from './gate.js';
import { encodeConversation } from './encode-conversation.js';

/**
 * How an encoder reads conversations.
 *
 * @param gate how many texts it wants encoded beside the whole at most, at least one; and of the second reader
 * @param judges whether ads will be judged, for which some 2 MB of each conversation are handed over
 */
export function createContextEncoder(
  encoder: Encoder,
  gate: Pick<Gate, 'turns' | 'secondTurns'> = { turns: 1, secondTurns: 1 },
  judges = false,
): EncodeContext {
  const { joint, second } = encoder;
  const first =
    joint === undefined ? encodeTurnByTurn(encoder, gate.turns) : encodeConversation(joint, gate.turns, judges);
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

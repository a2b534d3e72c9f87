import { Type, type Static } from 'typebox';

/** One turn of a conversation, as chat interfaces pass them around. */
export const Message = Type.Object({
  role: Type.String({ minLength: 1, maxLength: 40, description: 'Who speaks: user, assistant, system, tool …' }),
  content: Type.String({ description: 'The text of the turn.' }),
});
export type Message = Static<typeof Message>;

/** The body of a match request. Unknown fields are ignored. */
export const MatchRequest = Type.Object(
  {
    context: Type.String({
      pattern: '\\S',
      description: 'Conversation text: the earlier chat history plus the current user input.',
    }),
    messages: Type.Optional(
      Type.Array(Message, {
        minItems: 1,
        description: 'The same conversation, turn by turn; read instead of context when sent.',
      }),
    ),
  },
  { $id: 'MatchRequest' },
);
export type MatchRequest = Static<typeof MatchRequest>;

import { Type, type Static } from '#typebox';
import { CountryCode, FeedRow, Label } from './creative.js';

const Role = Type.Enum(['user', 'assistant', 'system', 'developer', 'tool', 'function'], {
  description: 'user, assistant, system, developer, tool or function',
});

/** Types of message parts that contain text. */
export const TEXT_PARTS = ['text', 'input_text', 'output_text'] as const;

const Part = Type.Union([
  Type.Object({ type: Type.Enum(TEXT_PARTS), text: Type.String() }),
  Type.Object({ type: Type.String({ not: { enum: TEXT_PARTS } }) }),
]);
const Content = Type.Union([Type.String(), Type.Array(Part), Type.Null()], {
  description:
    'text, null, or a list of parts such as {"type": "text", "text": "…"}; parts of other types are not read',
});
const Parts = Type.Array(Part, { description: 'A list of parts, read if there is no content or it is empty.' });

/** One turn of a conversation, in the format of chat APIs; the script leaves out roles that it does not know. */
export const Message = Type.Object({ role: Role, content: Type.Optional(Content), parts: Type.Optional(Parts) });
export type Message = Static<typeof Message>;

/** Returns what a message says: its content, or its parts if it has no content or an empty one. */
export function saidIn({ content, parts }: Message): Message['content'] {
  return content?.length ? content : parts;
}

const NotBlank = Type.String({ pattern: '\\S' });
const TextPart = Type.Object({ type: Type.Enum(TEXT_PARTS), text: NotBlank });
const SomeText = Type.Array(Type.Unknown(), { contains: TextPart });
const Empty = Type.Union([Type.Null(), Type.String({ maxLength: 0 }), Type.Array(Type.Unknown(), { maxItems: 0 })]);
const Speaker = Type.Enum(['user', 'assistant']);
/** A message in which `saidIn` finds text. */
const SomethingSaid = Type.Union(
  [
    Type.Object({ role: Speaker, content: Type.Union([NotBlank, SomeText]) }),
    Type.Object({ role: Speaker, content: Type.Optional(Empty), parts: SomeText }),
  ],
  { description: 'text of the user or the assistant' },
);

/** Constraint for an object with both fields: at least one is required. */
export const EITHER = {
  anyOf: [{ required: ['context'] }, { required: ['messages'] }],
  description: 'an object with the field context or messages',
};

const Names = Type.Array(Label, { maxItems: 100 });

/** Ads that one request does not want. An unknown list is a fault: a misspelt one would exclude nothing. */
const Exclude = Type.Object(
  {
    categories: Type.Optional({ ...Names, description: 'No ad of these categories.' }),
    advertisers: Type.Optional({ ...Names, description: 'No ad of these advertisers, nor any that they pay for.' }),
    creatives: Type.Optional(
      Type.Array(FeedRow.properties.id, {
        maxItems: 1000,
        description: 'None of these ads, by id: for example those that the page has shown.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Ads that this request does not want, besides those that the publisher blocks. Names are compared without ' +
      'regard to case, ids exactly.',
  },
);
export type Exclude = Static<typeof Exclude>;

/** The body of a match request. Unknown fields are ignored. */
export const MatchRequest = Type.Object(
  {
    context: Type.Optional(
      Type.String({
        pattern: '\\S',
        description: 'Conversation text: the earlier chat history plus the current user input.',
      }),
    ),
    messages: Type.Optional(
      Type.Array(Message, {
        contains: SomethingSaid,
        description:
          'The conversation turn by turn, oldest first. If context is sent too, it is ignored: messages say who said ' +
          'what, which has to be guessed from context. Only text of the user and the assistant is read.',
      }),
    ),
    exclude: Type.Optional(Exclude),
    country: Type.Optional({
      ...CountryCode,
      description:
        'a country code of two letters such as GB, that of the reader; without it, ads for certain countries are not served',
    }),
    disclosure: Type.Optional(
      Type.Boolean({ description: 'true: the ad has a disclosure, which says who is behind it and why it is shown.' }),
    ),
  },
  { $id: 'MatchRequest', ...EITHER },
);
export type MatchRequest = Static<typeof MatchRequest>;

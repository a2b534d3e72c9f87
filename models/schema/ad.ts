import { Type, type Static } from '#typebox';

/** What EU law (Digital Services Act, article 26) requires a page to say about an ad, besides that it is one. */
export const Disclosure = Type.Object(
  {
    advertiser: Type.Union([Type.String(), Type.Null()], {
      description: 'On whose behalf the ad is shown. Null: the feed names nobody.',
    }),
    payer: Type.Union([Type.String(), Type.Null()], { description: 'Who pays for it, if that is somebody else.' }),
    title: Type.String({ description: 'The question "Why this ad?".' }),
    text: Type.String({ description: 'The answer: how the ad was chosen and, if there is a payer, who pays for it.' }),
    language: Type.String({ description: "BCP 47 tag of title and text: the ad's language, or English." }),
  },
  { additionalProperties: false, description: 'Who is behind the ad and why it is shown; present if requested.' },
);
export type Disclosure = Static<typeof Disclosure>;

/** An ad served for one request: the body of a 200 response of the match endpoint. */
export const Ad = Type.Object(
  {
    id: Type.String({ description: 'Creative identifier.' }),
    name: Type.String({ description: 'Creative name.' }),
    text: Type.Union([Type.String(), Type.Null()], { description: 'Ad copy.' }),
    imageUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()], { description: 'Absolute URL of the image.' }),
    impressionUrl: Type.String({
      format: 'uri',
      description: 'Absolute URL of the impression pixel; load it once the ad is displayed.',
    }),
    targetUrl: Type.String({
      format: 'uri',
      description: 'Absolute URL of the click-through redirect; use it as it is.',
    }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Calibrated probability that the ad is relevant.' }),
    disclosure: Type.Optional(Disclosure),
  },
  { additionalProperties: false, $id: 'Ad' },
);
export type Ad = Static<typeof Ad>;

/** The body of every error response. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: 'What went wrong, in words.' }) },
  { additionalProperties: false, $id: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;

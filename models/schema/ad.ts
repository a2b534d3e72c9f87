import { Type, type Static } from '#typebox';

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

import { NO_FILL_REASONS } from '../../../models/schema/event-kinds.js';
import { API } from '../../domain/urls.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export const text = { type: 'string' };
export const seconds = {
  description: 'Seconds until a retry may succeed.',
  schema: { type: 'integer', minimum: 1 },
};
const allow = { Allow: { description: 'The methods that the path supports.', schema: text } };
const file = (name: string, description: string, pattern: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', pattern },
});

export function failure(description: string, headers: ResponseObject['headers'] = {}): ResponseObject {
  return { description, headers, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
}

const reason = { 'x-adjacent-reason': { description: 'Why there is no ad.', schema: { enum: NO_FILL_REASONS } } };

/** Responses of every path: wrong method, internal error, and while the server starts. */
export const ALWAYS = {
  '405': failure('The path does not support this method.', allow),
  '500': failure('Internal server error.'),
  '501': failure('The server does not know this method.'),
  '503': failure('The server is starting.', { 'Retry-After': seconds }),
};

/** @param limit max body size in bytes */
export function matchPath(limit: number): Paths {
  return {
    [`${API}/match`]: {
      post: {
        operationId: 'match',
        summary: 'Match an ad for a context',
        description:
          'Send the conversation as messages, or as context if it is plain text. If both are present, messages is used. It is read ' +
          'for this response only, and neither stored nor logged. Unknown fields are ignored. A message may lack content ' +
          '(an assistant that only calls tools), or have parts instead, as in the AI SDK; parts are read if content is ' +
          'absent, null or empty. A server that displays ads itself needs a key of mode server without origins: with a key of ' +
          'mode browser no event that it reports counts.',
        security: [{ publisherKey: [] }],
        parameters: [
          {
            name: 'x-session-id',
            in: 'header',
            description: 'A random id of the visit, for frequency caps. Never stored. Without it no cap applies.',
            schema: { type: 'string', maxLength: 200 },
          },
          {
            name: 'x-adjacent-no-ad',
            in: 'header',
            description: '204: no ad is a 204 without a body instead of a 404, which browsers show as an error.',
            schema: { const: '204' },
          },
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/MatchRequest' } } },
        },
        responses: {
          ...ALWAYS,
          '200': {
            description: 'The most relevant ad.',
            headers: {
              'Content-Language': {
                description:
                  "The ad's language as a BCP 47 tag: declared by its feed, else detected from its text; absent if neither.",
                schema: text,
              },
            },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Ad' } } },
          },
          '204': { description: 'No matching creative, for a request with x-adjacent-no-ad: 204.', headers: reason },
          '400': failure('Missing or invalid parameters; the error names the field.'),
          '401': failure('The key is missing, invalid, expired, or not for the origin of the page.'),
          '404': failure('No matching creative.', reason),
          '413': failure(`The body is larger than ${limit} bytes.`),
          '429': failure("More requests than the key's limit per minute, or than this address's share of it.", {
            'Retry-After': seconds,
          }),
          '503': failure('Too many requests at once, the ad search is unavailable, or the server is starting.', {
            'Retry-After': seconds,
          }),
        },
      },
    },
  };
}

const requestId: Parameter = {
  name: 'requestId',
  in: 'query',
  description: 'The request id issued with the ad. Any other value is not counted.',
  schema: text,
};
const noStore = { 'Cache-Control': { description: 'Never cached.', schema: { const: 'no-store' } } };

export function trackingPaths(): Paths {
  return {
    [`${API}/beacon`]: {
      get: {
        operationId: 'beacon',
        summary: 'Impression beacon',
        description:
          'Each request id counts once. HEAD gets the same response and counts nothing. A 200 does not say that the event ' +
          'counts: for an ad requested with a key of mode browser, only fetches by a browser do. A server that loads this URL ' +
          'itself needs a key of mode server without origins.',
        parameters: [
          requestId,
          {
            name: 'event',
            in: 'query',
            description: 'view: the ad was seen in the viewport. Any other value, or none: an impression.',
            schema: { enum: ['impression', 'view'] },
          },
        ],
        responses: {
          ...ALWAYS,
          '200': {
            description: 'A transparent one-pixel GIF, whatever the request id.',
            headers: noStore,
            content: { 'image/gif': { schema: { type: 'string', contentMediaType: 'image/gif' } } },
          },
          '503': failure('The event could not be stored: send it again; or the server is starting.', {
            'Retry-After': seconds,
          }),
        },
      },
    },
    [`${API}/target/{creativeId}`]: {
      get: {
        operationId: 'target',
        summary: 'Click-through redirect',
        description: 'Each request id counts one click. HEAD gets the same response and counts nothing.',
        parameters: [
          { name: 'creativeId', in: 'path', required: true, description: 'The creative.', schema: text },
          requestId,
        ],
        responses: {
          ...ALWAYS,
          '302': {
            description: "To the creative's landing page, whatever the request id.",
            headers: {
              ...noStore,
              Location: { description: 'The landing page.', schema: { type: 'string', format: 'uri' } },
            },
          },
          '404': failure('There is no such creative.'),
          '410': failure('The operator has taken the creative down.'),
          '503': failure('One of several servers, which does not know the creative yet, or the server is starting.', {
            'Retry-After': seconds,
          }),
        },
      },
    },
    [`${API}/images/{file}`]: {
      get: {
        operationId: 'image',
        summary: 'Image of a creative',
        parameters: [file('file', 'The file name in imageUrl.', '^[0-9a-f]{64}\\.(png|jpg|webp|gif|avif)$')],
        responses: {
          ...ALWAYS,
          '200': {
            description: 'The image. It never changes.',
            headers: { ETag: { description: 'Names the content.', schema: text } },
            content: { 'image/*': { schema: {} } },
          },
          '304': { description: 'The client has it.' },
          '404': failure('There is no such image.'),
          '410': failure('The operator has taken its creative down.'),
          '503': failure('One of several servers, which does not have the image yet, or the server is starting.', {
            'Retry-After': seconds,
          }),
        },
      },
    },
  };
}

export function scriptPaths(): Paths {
  return {
    '/sdk/{file}': {
      get: {
        operationId: 'script',
        summary: 'Browser script',
        description:
          'adsdk.js, adsdk.mjs, their types and source maps, and integrity.json, which names the unchanging copy. Unchanging ' +
          'copies of earlier releases that this server has run are served too.',
        parameters: [
          file('file', 'Such as adsdk.js.', '^[a-z]+(\\.[0-9a-f]{16})?(\\.d)?\\.(js|mjs|ts|mts|json)(\\.map)?$'),
        ],
        responses: {
          '200': {
            description: 'The file, compressed if the client accepts that.',
            headers: { ETag: { description: 'Names the content.', schema: text } },
            content: {
              'text/javascript': { schema: {} },
              'application/json': { schema: {} },
              'text/plain': { schema: {} },
            },
          },
          '304': { description: 'The client has it.' },
          '404': failure('There is no such script.'),
          ...ALWAYS,
        },
      },
    },
  };
}

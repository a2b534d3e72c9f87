import { Ad, ErrorBody } from '../../../models/schema/ad.js';
import { MatchRequest } from '../../../models/schema/match-request.js';
import { documentPaths, opsPaths, ownPaths, reportPaths } from './operators-paths.js';
import { matchPath, scriptPaths, trackingPaths, type Paths } from './paths.js';

/** The parts of an OpenAPI 3.1 document that Adjacent uses. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface OpenApiOptions {
  readonly baseUrl: string;
  readonly maxBodyBytes: number;
  /** Whether the operators' paths are served on this port. */
  readonly operators: boolean;
  /** Whether the report API is served on this port. */
  readonly reports: boolean;
}

/**
 * Returns the API contract as an OpenAPI 3.1 document, built from the same schemas that requests are validated against.
 */
export function openApi({ baseUrl, maxBodyBytes, operators, reports }: OpenApiOptions): OpenApi {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Adjacent',
      version: '1',
      description:
        'Returns the most relevant ad for what is being talked about, and counts what happens to it. ' +
        'Paths without a key are credentials in themselves: the request id in them is issued with each ad.',
    },
    servers: [{ url: baseUrl }],
    paths: {
      ...matchPath(maxBodyBytes),
      ...trackingPaths(),
      ...scriptPaths(),
      ...(reports ? { ...reportPaths(), ...ownPaths() } : {}),
      ...(operators ? opsPaths() : {}),
      ...documentPaths(),
    },
    components: {
      schemas: { Ad: component(Ad), Error: component(ErrorBody), MatchRequest: component(MatchRequest) },
      securitySchemes: {
        publisherKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A publisher key, such as pub_… (public: it may appear in a page).',
        },
        ...(reports ? { accessToken: ACCESS_TOKEN } : {}),
      },
    },
  };
}

const ACCESS_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token (npm run access), or ADMIN_TOKEN. What its role may not request is refused with a 403.',
};

/** Returns a schema without its `$id`, which inside a document would be a base URI, and without TypeBox's symbols. */
function component(schema: object): object {
  return JSON.parse(JSON.stringify({ ...schema, $id: undefined })) as object;
}

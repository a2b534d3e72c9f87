import { DIMENSIONS, NAMES } from '../../reports/report-query.js';
import { TRAFFIC_CHECKS } from '../../operation/readiness.js';
import { ALWAYS, failure, seconds, text, type Parameter, type Paths } from './paths.js';

export function opsPaths(): Paths {
  const status = (operationId: string, summary: string, ok: string, no?: string): Paths[string] => ({
    get: {
      operationId,
      summary,
      responses: {
        ...ALWAYS,
        '200': {
          description: ok,
          content: {
            'application/json': { schema: { type: 'object', properties: { status: text }, required: ['status'] } },
          },
        },
        ...(no === undefined ? {} : { '503': failure(no) }),
      },
    },
  });
  return {
    '/healthz': status('healthz', 'Whether the process responds', 'The process responds.'),
    '/readyz': readiness(
      status('readyz', 'Whether all is well', 'This server is ready.', 'Not ready; the error gives the reason.'),
    ),
    '/metrics': page('metrics', "Counters in Prometheus's text format", 'text/plain'),
  };
}

/** Adds the parameter of `/readyz`. */
function readiness({ get }: Paths[string]): Paths[string] {
  return {
    get: {
      ...get!,
      description:
        'Monitoring asks without a parameter. Proxies and probes that decide where requests go ask for traffic: ' +
        'other checks may fail on all nodes together, and matches are served nevertheless.',
      parameters: [query('for', `Only the checks ${TRAFFIC_CHECKS.join(', ')}.`, { enum: ['traffic'] })],
      responses: { ...get!.responses, '400': failure('The parameter is invalid.') },
    },
  };
}

function page(operationId: string, summary: string, type: string): Paths[string] {
  const answer = { description: summary, content: { [type]: { schema: {} } } };
  return { get: { operationId, summary, responses: { '200': answer, ...ALWAYS } } };
}

export function documentPaths(): Paths {
  return {
    '/openapi.json': page('openapi', 'This document', 'application/json'),
    '/docs': page('docs', 'This document as a readable page', 'text/html'),
  };
}

const query = (name: string, description: string, schema: object = text): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
const names = (name: string): Parameter =>
  query(name, `Only this ${name}; may be repeated.`, { type: 'array', items: text });

/** Describes the report API, which returns what `npm run report` prints. */
export function reportPaths(): Paths {
  return {
    '/admin/api/reports': {
      get: {
        operationId: 'reports',
        summary: 'Report of decisions, events and spend',
        description: 'The same figures as npm run report, by parameters of the same names.',
        security: [{ accessToken: [] }],
        parameters: [
          query(
            'by',
            `Dimensions to group by, comma-separated; empty: one row. Default: day. One or more of ${DIMENSIONS.join(', ')}.`,
          ),
          query('from', 'The first day or moment.'),
          query('to', 'The last day, or the moment before which it ends.'),
          query('time-zone', "An IANA time zone. Default: the installation's."),
          query('test', '1: only the traffic of test keys.', { enum: ['0', '1', 'true', 'false'] }),
          query('format', 'Default: json.', { enum: ['json', 'csv'] }),
          ...NAMES.map(names),
        ],
        responses: {
          ...ALWAYS,
          '200': {
            description: 'The report.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    by: { type: 'array', items: text },
                    timeZone: text,
                    currency: text,
                    from: { type: ['string', 'null'] },
                    to: { type: ['string', 'null'] },
                    test: { type: 'boolean' },
                    where: { type: 'object' },
                    rows: { type: 'array' },
                    total: { type: 'object' },
                    leftOut: { type: 'integer' },
                    setByCommand: { type: 'array' },
                  },
                },
              },
              'text/csv': { schema: text },
            },
          },
          ...REFUSED,
        },
      },
    },
  };
}

const REFUSED = {
  '400': failure('A parameter is invalid; the error names it.'),
  '401': failure('The access token is missing, wrong or expired.', {
    'WWW-Authenticate': { description: 'Bearer.', schema: text },
  }),
  '403': failure('The access token has another role.'),
  '429': failure('Too many wrong tokens from this address.', { 'Retry-After': seconds }),
  '503': failure('Too many reports at once, or the ledger cannot be read now.', { 'Retry-After': seconds }),
};

/** Describes what advertisers and publishers may read: their own figures and invoices. */
export function ownPaths(): Paths {
  const own = (
    operationId: string,
    summary: string,
    parameters: Parameter[],
    types: string[],
    more = {},
  ): Paths[string] => ({
    get: {
      operationId,
      summary,
      security: [{ accessToken: [] }],
      parameters,
      responses: {
        ...ALWAYS,
        '200': { description: summary, content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) },
        ...REFUSED,
        ...more,
      },
    },
  });
  const format = query('format', 'Default: json.', { enum: ['json', 'csv'] });
  const days = [query('from', 'The first day. Default: 29 days before the last.'), query('to', 'The last day.')];
  const by = query('by', 'day (default), creative; for an advertiser campaign, for a publisher advertiser; by commas.');
  const month = query('month', 'Such as 2026-11.');
  return {
    '/admin/api/own': own('own', "An advertiser's or publisher's own figures", [by, ...days, format], [JSON_TYPE, CSV]),
    '/admin/api/own/invoices': own('ownInvoices', "An advertiser's closed invoices", [], [JSON_TYPE]),
    '/admin/api/own/invoice': own(
      'ownInvoice',
      "An advertiser's closed invoice, as it was stored",
      [month, query('format', 'Default: html.', { enum: ['csv', 'html', 'json'] })],
      ['text/html', JSON_TYPE, CSV],
      { '404': failure('There is no invoice for this month yet.') },
    ),
  };
}

const JSON_TYPE = 'application/json';
const CSV = 'text/csv';

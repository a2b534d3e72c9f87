import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from './listen.js';

/** A request for an ad, as received. */
export interface AskedFor {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (response: ServerResponse, asked: AskedFor, count: number) => unknown;

/**
 * An ad server for tests of the script: it serves the built script and the demo page, responds to match requests as a
 * test specifies (slow, broken, garbage …), and records requests. Faults are simulated here; the real service has its
 * own tests.
 */
export interface FakeAdServer {
  readonly origin: string;
  readonly asked: AskedFor[];
  /** `impression R`, `view R` or `click R` with request id R, in order of arrival. */
  readonly events: string[];
  respond(respond: Respond): void;
  /** Resets everything: every request gets an ad, and nothing is recorded. */
  reset(): void;
  readonly close: () => Promise<void>;
}

export async function startFakeAdServer(path = ''): Promise<FakeAdServer> {
  const asked: AskedFor[] = [];
  const events: string[] = [];
  let respond: Respond = fill();

  const { origin, close } = await listen((request, response) => {
    const url = new URL(request.url!, 'http://network');
    const route = url.pathname.slice(path.length);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.setHeader('access-control-expose-headers', 'x-adjacent-reason, retry-after');
    response.setHeader('access-control-allow-headers', 'content-type, x-api-key, x-session-id, x-adjacent-no-ad');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    if (route.startsWith('/sdk/')) return void sendFile(`dist/sdk/public${route.slice('/sdk'.length)}`, response);
    if (route === '/demo/config.json') return send(response, 200, { apiKey: 'pub_demo' });
    if (route === '/') return void sendFile('sdk/demo/index.html', response);
    if (route.startsWith('/demo/')) return void sendFile(`sdk${route}`, response);
    if (route === `${API}/match`) return void take(request).then((one) => respond(response, one, asked.push(one)));
    if (route === `${API}/beacon`) {
      events.push(`${url.searchParams.get('event') ?? 'impression'} ${url.searchParams.get('requestId')}`);
      return response.writeHead(200, { 'content-type': 'image/gif', 'cache-control': 'no-store' }).end(PIXEL);
    }
    if (route.startsWith(`${API}/target/`)) {
      events.push(`click ${url.searchParams.get('requestId')}`);
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>The advertiser</title>');
    }
    if (route.startsWith(`${API}/images/`) && !route.endsWith('missing.svg')) {
      return response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(PICTURE);
    }
    return response.writeHead(404).end();
  });

  return {
    origin: origin + path,
    asked,
    events,
    respond: (next) => void (respond = next),
    reset() {
      asked.length = events.length = 0;
      respond = fill();
    },
    close,
  };
}

const API = '/api/v1/public/creatives';

/** Responds with an ad; request ids count up: r1, r2 … */
export function fill(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): Respond {
  return (response, asked, count) => send(response, 200, adOf(asked, `r${count}`, fields), headers);
}

export const noFill =
  (reason = 'below-floor'): Respond =>
  (response, { headers }) => {
    const said = { 'x-adjacent-reason': reason };
    if (headers['x-adjacent-no-ad'] === '204') response.writeHead(204, said).end();
    else send(response, 404, { error: 'no matching creative' }, said);
  };

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function adOf(asked: AskedFor, requestId: string, fields: Record<string, unknown>): Record<string, unknown> {
  const base = `http://${asked.headers.host}${API}`;
  return {
    id: 'boots-1',
    name: 'Fellwalk Boots',
    text: 'Waterproof boots for long days in the hills, resoled free for ten years.',
    imageUrl: `${base}/images/boots.svg`,
    impressionUrl: `${base}/beacon?requestId=${requestId}`,
    targetUrl: `${base}/target/boots-1?requestId=${requestId}`,
    score: 0.82,
    ...fields,
  };
}

async function take(request: IncomingMessage): Promise<AskedFor> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return { method: request.method!, headers: request.headers, body };
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const content = await readFile(new URL(`../../../${path}`, import.meta.url)).catch(() => undefined);
  const type = TYPES[path.split('.').at(-1)!] ?? 'application/octet-stream';
  if (content === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
}

const TYPES: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
};

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="192" height="192"><rect width="192" height="192" fill="#3b6e5a"/>' +
  '<path d="M20 150 80 60l30 40 20-25 42 75z" fill="#e8e1cf"/><circle cx="142" cy="48" r="18" fill="#f2b84b"/></svg>';

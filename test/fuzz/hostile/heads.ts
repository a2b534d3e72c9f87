import type { Random } from './random.js';
import { hostileText, inQuery } from './fragments.js';
import { form } from './dashboard.js';
import { honestRequest } from './known.js';
import type { World } from './world.js';
import type { Request } from './request.js';

/** Returns a request to a known route with an odd method. */
export function oddMethod(world: World, random: Random): Request {
  return { ...honestRequest(world, random), method: random.pick(METHODS) };
}

const METHODS = [
  ...words(
    'PUT PATCH DELETE TRACE PROPFIND MKCOL SEARCH PURGE M-SEARCH SOURCE QUERY CONNECT OPTIONS HEAD get POSTT PRI',
  ),
  '',
  'G\0T',
  'X'.repeat(500),
];

/** Returns a request to a known route with odd headers. */
export function oddHeaders(world: World, random: Random): Request {
  const request = honestRequest(world, random);
  const count = random.chance(0.05) ? 2000 : 1 + random.length(20);
  const added = Array.from({ length: count }, (): [string, string] => [random.pick(NAMES), headerValue(random)]);
  const kept = random.chance(0.2) ? request.headers.filter(() => random.chance(0.5)) : request.headers;
  return { ...request, headers: random.chance(0.5) ? [...kept, ...added] : [...added, ...kept] };
}

const NAMES = [
  ...words('Host Origin Referer User-Agent Cookie Authorization x-api-key x-session-id Accept Accept-Encoding Range'),
  ...words(
    'Content-Type Content-Encoding Content-Length Transfer-Encoding Expect TE Connection Upgrade HTTP2-Settings',
  ),
  ...words('If-None-Match If-Modified-Since Forwarded Via X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto Trailer'),
  ...words('X-HTTP-Method-Override Purpose Sec-Purpose Sec-Fetch-Site Max-Forwards __proto__ constructor x\u00e9'),
  'x y',
  '',
];

function headerValue(random: Random): string {
  const values = [
    () =>
      Buffer.from(hostileText(random).toWellFormed())
        .toString('latin1')
        .replaceAll(/[\r\n]/g, ' '),
    () => hostileText(random),
    () => 'x'.repeat(random.length(20_000)),
    () => random.bytes(random.length(200)).toString('latin1'),
    () =>
      random.pick(['chunked', 'gzip, chunked', '100-continue', 'websocket', 'h2c', 'close', 'bytes=0-,-1', '-1', '0']),
    () => random.pick(['br;q=0, *;q=1e9', 'identity;q=0', '*', 'W/"x", *', 'text/html;;;', 'prefetch;prerender']),
    () => `adjacent_admin=${'='.repeat(random.length(3000))}; ;;=;${hostileText(random)}`,
  ];
  return random.pick(values)();
}

/** Returns a request with an odd path or query. */
export function oddTarget(world: World, random: Random): Request {
  const request = honestRequest(world, random);
  const [path = '', query = ''] = request.target.split('?');
  const segments = path.split('/');
  const text = inQuery(hostileText(random), random);
  const targets = [
    () => `${path}/${text}`,
    () => `${path.slice(0, random.below(path.length + 1))}${text}`,
    () => segments.map((segment) => (random.chance(0.3) ? text : segment)).join('/'),
    () => `//${text}${path}`,
    () => `http://${text || 'x'}${path}?${query}`,
    () => random.pick(['*', '', '?', '/?', '/%', `/${'../'.repeat(200)}`, `/${'a/'.repeat(4000)}`, `/${text}`]),
    () => `${path}?${query.replaceAll(/=[^&]*/g, (value) => (random.chance(0.5) ? `=${text}` : value))}`,
    () => `${path}?${query}&${random.pick(PARAMETERS)}=${text}`,
    () => `${path}?${Array.from({ length: random.length(2000) }, () => `${random.pick(PARAMETERS)}=1`).join('&')}`,
  ];
  return { ...request, target: random.pick(targets)() };
}

const PARAMETERS = [
  ...words('requestId event by from to sort page test time-zone format publisher campaign creative advertiser id name'),
  ...words('next q __proto__ constructor[prototype]'),
  '',
];

/** Returns a dashboard form of a live session with values that no page sends. */
export function oddForm(world: World, random: Random): Request {
  const request = form(world, random);
  const fields = new URLSearchParams(String(request.body));
  for (const name of fields.keys()) {
    // Without its token, a form is refused before anything else is checked.
    if (name !== 'formToken' && random.chance(0.5)) fields.set(name, hostileText(random));
  }
  const body = random.chance(0.8) ? fields.toString() : `${fields.toString()}&${hostileText(random)}`;
  return { ...request, body };
}

function words(text: string): string[] {
  return text.split(' ');
}

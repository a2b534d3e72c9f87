import { form, page, report } from './dashboard.js';
import type { Random } from './random.js';
import type { Request } from './request.js';
import type { Route, World } from './world.js';
import { API } from '../../../server/domain/urls.js';

/** Returns a request to any route as an honest client would send it. */
export function honestRequest(world: World, random: Random): Request {
  return random.pick(ROUTES)(world, random);
}

/** Returns a request to a route without a body that is cheap to serve. */
export function cheapRequest(world: World, random: Random): Request {
  return random.pick(CHEAP)(world, random);
}

const get =
  (...targets: readonly string[]): Route =>
  (_, random) => ({ method: 'GET', target: random.pick(targets), headers: [] });

const tracking: Route = ({ requestIds, creatives }, random) => {
  const id = random.pick(requestIds);
  const target = random.pick([
    `${API}/beacon?requestId=${id}`,
    `${API}/beacon?requestId=${id}&event=view`,
    `${API}/target/${random.pick(creatives)}?requestId=${id}`,
  ]);
  return { method: random.pick(['GET', 'GET', 'HEAD']), target, headers: [['User-Agent', 'Mozilla/5.0']] };
};

const image: Route = ({ image }) => ({ method: 'GET', target: `${API}/images/${image}`, headers: [] });

const preflight: Route = () => ({
  method: 'OPTIONS',
  target: `${API}/match`,
  headers: [
    ['Origin', 'https://chat.example'],
    ['Access-Control-Request-Method', 'POST'],
  ],
});

const wrongKey: Route = () => ({
  method: 'POST',
  target: `${API}/match`,
  headers: [['x-api-key', 'pub_0123456789abcdefghijklmnopqrstuv']],
  body: '{"context":"User: hello"}',
});

const match: Route = ({ key }, random) => ({
  method: 'POST',
  target: `${API}/match`,
  headers: [
    ['x-api-key', key],
    ['x-session-id', `s-${random.below(1000)}`],
    ['Content-Type', 'application/json'],
  ],
  body: random.pick([
    JSON.stringify({ context: 'User: I need boots for the hills' }),
    JSON.stringify({ messages: [{ role: 'user', content: 'green tea?' }] }),
    JSON.stringify({ messages: [{ role: 'user', content: [{ type: 'text', text: 'a lawn mower' }] }] }),
  ]),
});

const CHEAP: readonly Route[] = [
  tracking,
  tracking,
  image,
  preflight,
  wrongKey,
  get('/healthz', '/readyz', '/sdk/adsdk.js', '/sdk/integrity.json', '/', '/demo/config.json', '/demo/chat.js'),
  get('/admin/assets/dashboard.css', '/admin/sign-in', '/admin', '/nothing'),
];

const ROUTES: readonly Route[] = [...CHEAP, match, page, form, report, get('/openapi.json', '/docs', '/metrics')];

/** Returns a match request with this body. */
export function matchWith({ key }: World, body: string | Buffer): Request {
  return { method: 'POST', target: `${API}/match`, headers: [['x-api-key', key]], body };
}

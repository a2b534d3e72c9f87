import type { Request } from './request.js';
import type { Random } from '../random.js';
import { API } from '../../../server/domain/urls.js';

/** What an attacker may know and hold: a publisher's public key, ads that were answered, even a session of the dashboard. */
export interface World {
  readonly key: string;
  readonly keyId: string;
  readonly requestIds: readonly string[];
  readonly creatives: readonly string[];
  readonly image: string;
  readonly snapshot: string;
  readonly adminToken: string;
  readonly cookie: string;
  readonly formToken: string;
}

/** A request to any route as an honest client would send it. */
export function honestRequest(world: World, random: Random): Request {
  const [route] = [random.pick(ROUTES)];
  return route(world, random);
}

/** The routes without a body, cheap to answer. */
export function cheapRequest(world: World, random: Random): Request {
  return random.pick(CHEAP)(world, random);
}

type Route = (world: World, random: Random) => Request;

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

/** Pages that answer at once, and those that draw plots. */
const PAGES = [
  '/admin/keys',
  '/admin/campaigns',
  '/admin/snapshots',
  '/admin/system',
  '/admin/explain',
  '/admin/sign-in',
];
const FIGURES = [
  '/admin/',
  '/admin/reports?by=day&from=2026-11-01&to=2026-11-22&sort=-spend&page=1&test=0',
  '/admin/reports.csv?by=publisher,creative',
  '/admin/creatives?campaign=autumn',
  '/admin/creative?id=boots',
  '/admin/publishers',
  '/admin/publisher?name=Chat',
];

const page: Route = ({ cookie }, random) => ({
  method: 'GET',
  target: random.pick(random.chance(0.9) ? PAGES : FIGURES),
  headers: [['Cookie', cookie]],
});

const FORMS: readonly (readonly [place: string, fields: Readonly<Record<string, string>>])[] = [
  [
    '/admin/keys/create',
    { publisher: 'Chat', kind: 'live', origins: 'https://a.example', expires: '', perMinute: '60' },
  ],
  ['/admin/keys/rotate', { id: 'key_x', overlap: '1h' }],
  ['/admin/keys/deactivate', { id: 'key_x' }],
  ['/admin/campaigns/pause', { name: 'autumn', paused: 'false' }],
  ['/admin/snapshots/rollback', { id: '0123456789abcdef' }],
  ['/admin/explain', { context: '', publisher: 'Chat' }],
  ['/admin/sign-in', { token: 'wrong', next: '/reports?by=day' }],
];

/** A form of the dashboard, sent with a live session. */
export const form: Route = ({ cookie, formToken, keyId, snapshot }, random) => {
  const [place, fields] = random.pick(FORMS);
  const filled = { ...fields, ...('id' in fields && { id: random.pick([fields['id']!, keyId, snapshot]) }) };
  return {
    method: 'POST',
    target: place,
    headers: [
      ['Cookie', cookie],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: new URLSearchParams({ formToken, ...filled }).toString(),
  };
};

const report: Route = ({ adminToken }, random) => ({
  method: 'GET',
  target: random.pick([
    '/admin/api/reports?by=day,publisher&from=2026-11-01&to=2026-11-22&format=csv',
    '/admin/api/reports?by=campaign&test=1&time-zone=Asia/Kathmandu',
    '/admin/api/reports?by=hour&creative=boots&creative=tea',
  ]),
  headers: [['Authorization', `Bearer ${adminToken}`]],
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

/** A match request whose body is still to be put in. */
export function matchWith({ key }: World, body: string | Buffer): Request {
  return { method: 'POST', target: `${API}/match`, headers: [['x-api-key', key]], body };
}

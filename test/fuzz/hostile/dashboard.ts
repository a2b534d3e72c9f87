import type { Route } from './world.js';

/** Pages that are quick to render, and those that draw plots. */
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

/** Requests a page of the dashboard. */
export const page: Route = ({ cookie }, random) => ({
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

/** Submits a form of the dashboard with a live session. */
export const form: Route = ({ cookie, formToken, keyId, snapshot }, random) => {
  const [place, fields] = random.pick(FORMS);
  const filled = { ...fields, ...('id' in fields && { id: random.pick([fields['id'], keyId, snapshot]) }) };
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

/** Requests a report from the admin API. */
export const report: Route = ({ adminToken }, random) => ({
  method: 'GET',
  target: random.pick([
    '/admin/api/reports?by=day,publisher&from=2026-11-01&to=2026-11-22&format=csv',
    '/admin/api/reports?by=campaign&test=1&time-zone=Asia/Kathmandu',
    '/admin/api/reports?by=hour&creative=boots&creative=tea',
  ]),
  headers: [['Authorization', `Bearer ${adminToken}`]],
});

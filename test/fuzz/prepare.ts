import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ad } from '../../models/schema/ad.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match } from '../support/installation.js';
import { PNG } from '../support/png.js';
import { type WatchedServer, startWatched } from './watched-server.js';
import type { World } from './hostile/world.js';

/** A server with a small catalogue, and what an attacker and an honest publisher know of it. */
export interface Prepared {
  readonly server: WatchedServer;
  readonly origin: string;
  /** A key that no hostile request contains. */
  readonly honestKey: string;
  readonly world: World;
  /** Signs in again: sessions expire, and some hostile requests end them. */
  signedIn(): Promise<World>;
}

const ADMIN_TOKEN = 'the-token-of-the-fuzzed-server';

/** One conversation for each of the first creatives of the catalogue. */
const CONVERSATIONS = ['User: I need waterproof boots for the hills', 'User: which green tea should I buy?'];

/** @param dataDir an empty directory */
export async function prepare(dataDir: string): Promise<Prepared> {
  const adjacent = new Installation(dataDir);
  mkdirSync(path.join(dataDir, 'feed'), { recursive: true });
  writeFileSync(path.join(dataDir, 'feed', 'boots.png'), PNG);
  await adjacent.run('indexer/main.js', writeFeed(path.join(dataDir, 'feed'), ROWS));
  const honestKey = await adjacent.createKey('--publisher', 'Honest');
  const key = await adjacent.createKey('--publisher', 'Chat');
  const [, keyId = ''] = /(key_\w+)[^\n]*Chat/.exec(await adjacent.run('server/commands/keys/main.js', 'list')) ?? [];
  const server = await startWatched(dataDir, {
    ADMIN_TOKEN,
    ...(process.env['PROFILE'] && { PROFILE: process.env['PROFILE'] }),
  });
  const origin = `http://127.0.0.1:${server.port}`;

  const ads: Ad[] = [];
  for (const conversation of CONVERSATIONS) {
    const response = await match(origin, honestKey, conversation);
    if (response.status !== 200) throw new Error(`${conversation}: ${response.status} ${await response.text()}`);
    ads.push((await response.json()) as Ad);
  }
  const known = {
    key,
    keyId,
    adminToken: ADMIN_TOKEN,
    requestIds: ads.map(({ impressionUrl }) => new URL(impressionUrl).searchParams.get('requestId')!),
    creatives: ads.map(({ id }) => id),
    image: ads.flatMap(({ imageUrl }) => (imageUrl === null ? [] : [imageUrl.split('/').at(-1)!]))[0]!,
    snapshot: (await adjacent.run('indexer/snapshots.js')).match(/[0-9a-f]{16}/)![0],
  };
  const signedIn = async (): Promise<World> => ({ ...known, ...(await signIn(origin)) });
  return { server, origin, honestKey, world: await signedIn(), signedIn };
}

async function signIn(origin: string): Promise<Pick<World, 'cookie' | 'formToken'>> {
  const body = new URLSearchParams({ token: ADMIN_TOKEN });
  const answer = await fetch(`${origin}/admin/sign-in`, { method: 'POST', redirect: 'manual', body });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${origin}/admin/keys`, { headers: { cookie } })).text();
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(page) ?? [];
  return { cookie, formToken };
}

const ROWS = [
  feedRow('boots', {
    name: 'Fellwalk Boots',
    text: 'Waterproof hiking boots for long days in the hills.',
    image: 'boots.png',
    advertiser: 'Fellwalk',
    campaign: 'autumn',
    pricing: { model: 'cpm', micros: 2_345_000 },
  }),
  feedRow('tea', { name: 'Tea of the Month', text: 'A parcel of green tea every month.' }),
  feedRow('mower', { name: 'Quiet mowers', text: 'Battery lawn mowers for small gardens.', advertiser: 'Green' }),
];

/**
 * Requests, shows and clicks an ad as an honest publisher, one that no dashboard form can pause.
 *
 * @returns what went wrong, or null
 */
export async function honestVisit({
  origin,
  honestKey,
}: Pick<Prepared, 'origin' | 'honestKey'>): Promise<string | null> {
  const response = await match(origin, honestKey, CONVERSATIONS[1]!);
  if (response.status === 503) return null;
  if (response.status !== 200) return `a match was answered ${response.status}: ${await response.text()}`;
  const ad = (await response.json()) as Ad;
  const local = (url: string): string => origin + new URL(url).pathname + new URL(url).search;
  const beacon = await fetch(local(ad.impressionUrl));
  const target = await fetch(local(ad.targetUrl), { redirect: 'manual' });
  const [pixel] = [await beacon.arrayBuffer(), await target.arrayBuffer()];
  if (beacon.status === 503) return null;
  if (beacon.status !== 200 || pixel.byteLength !== 42) return `a beacon was answered ${beacon.status}`;
  return target.status === 302 ? null : `a target was answered ${target.status}`;
}

import type { Random } from './random.js';
import type { Request } from './request.js';

/** What an attacker may know and have: a publisher's public key, served ads, even a session of the dashboard. */
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

/** Creates a request to one route as an honest client would send it. */
export type Route = (world: World, random: Random) => Request;

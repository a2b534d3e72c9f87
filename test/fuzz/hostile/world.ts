import type { Random } from './random.js';
import type { Request } from './request.js';

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

/** Makes a request to one route as an honest client would send it. */
export type Route = (world: World, random: Random) => Request;

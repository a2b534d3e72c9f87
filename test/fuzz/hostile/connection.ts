import type { Random } from './random.js';
import { hostileBody } from './bodies.js';
import { duplicated, expecting, oldVersion, trailing, upgrading } from './corners.js';
import { garbage, oddFraming } from './framing.js';
import { oddForm, oddHeaders, oddMethod, oddTarget } from './heads.js';
import { cheapRequest, honestRequest } from './known.js';
import type { World } from './world.js';
import { mutate } from './mutate.js';
import { render, type Request } from './request.js';

/** What is sent on one connection. */
export interface HostileConnection {
  readonly kind: string;
  /** Number of requests in it. */
  readonly requests: number;
  /** Sent one after the other, with a pause in between. */
  readonly pieces: readonly Buffer[];
  /** Whether the client then reads to the end, or disconnects at once. */
  readonly reads: boolean;
}

/** Returns a random hostile connection. */
export function hostileConnection(world: World, random: Random): HostileConnection {
  const [kind, make] = random.pick(KINDS);
  return { kind, requests: 1, reads: true, ...make(world, random) };
}

type Made = Pick<HostileConnection, 'pieces'> & Partial<HostileConnection>;
type Make = (world: World, random: Random) => Made;

const single =
  (request: (world: World, random: Random) => Request): Make =>
  (world, random) => ({ pieces: [render(request(world, random), { close: true })] });

/** Several requests at once, one of which may be odd; the last one closes the connection. */
const pipelined: Make = (world, random) => {
  const requests = 2 + random.length(60);
  // A broken request ends the connection: the requests after it get no response.
  const odd = random.chance(0.5) ? random.below(requests) : requests;
  const bytes = Array.from({ length: requests }, (_, at) => {
    const make = at === odd ? random.pick([oddTarget, oddHeaders, hostileBody, honestRequest]) : cheapRequest;
    return render(make(world, random), { close: at === requests - 1 });
  });
  return { requests, pieces: [Buffer.concat(bytes)] };
};

const mutated: Make = (world, random) => ({
  pieces: [mutate(render(honestRequest(world, random), { close: true }), random)],
});

const halves: Make = (world, random) => {
  const bytes = render(random.pick([honestRequest, hostileBody])(world, random), { close: true });
  const at = random.below(bytes.length);
  return { pieces: [bytes.subarray(0, at), ...(random.chance(0.5) ? [bytes.subarray(at)] : [])] };
};

const KINDS: readonly (readonly [string, Make])[] = [
  ['mutated', mutated],
  ['mutated', mutated],
  ['mutated', mutated],
  ['pipelined', pipelined],
  ['pipelined', pipelined],
  ['pipelined', pipelined],
  ['pipelined, unread', (world, random) => ({ ...pipelined(world, random), reads: false })],
  ['body', single(hostileBody)],
  ['body', single(hostileBody)],
  ['method', single(oddMethod)],
  ['headers', single(oddHeaders)],
  ['target', single(oddTarget)],
  ['target', single(oddTarget)],
  ['form', single(oddForm)],
  ['framing', (world, random) => ({ pieces: [oddFraming(world, random)], requests: 2 })],
  ['HTTP/1.0', oldVersion],
  ['Expect', expecting],
  ['Upgrade', upgrading],
  ['trailers', trailing],
  ['headers sent twice', duplicated],
  ['garbage', (_, random) => ({ pieces: [garbage(random)] })],
  ['halves', halves],
  ['halves, unread', (world, random) => ({ ...halves(world, random), reads: false })],
];

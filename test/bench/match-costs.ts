import { API } from '../../server/domain/urls.js';
import { conversations, withService } from './service.js';
import { quantile } from './table.js';
import { processorTime, residentBytes } from './processor-time.js';

/** The server's costs of matches, run one at a time. */
export interface MatchCosts {
  /** A conversation of `test/eval`, most of which have one turn. */
  readonly opening: OneMatch;
  /** A conversation at the person's third turn: new to the server, or with the earlier turns remembered. */
  readonly unknown: OneMatch;
  readonly remembered: OneMatch;
  /** Response sizes over the network without TLS, including headers. */
  readonly filledBytes: number;
  readonly noFillBytes: number;
  /** Memory of a process with one encoder thread and the sample catalogue. */
  readonly residentBytes: number;
}

/** Milliseconds. */
interface OneMatch {
  /** Mean processor time on the event loop. */
  readonly loop: number;
  /** Mean processor time in other threads, that is in the encoders. */
  readonly encoder: number;
  /** 5th, 15th … 95th percentile of the encoder time, which varies between conversations. */
  readonly encoderQuantiles: readonly number[];
  /** Elapsed time from request to response. */
  readonly p50: number;
}

/** Measures with the encoder that PROFILE or MODEL names. */
export function matchCosts(count = 60): Promise<MatchCosts> {
  return withService(1, async ({ origin, key, pid }) => {
    const sizes = { filled: [] as number[], no: [] as number[] };
    const ask = async (context: string, session: string): Promise<void> => {
      const body = JSON.stringify({ context });
      const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-session-id': session };
      const response = await fetch(`${origin}${API}/match`, { method: 'POST', headers, body });
      const answer = await response.arrayBuffer();
      if (response.status !== 200 && response.status !== 404) throw new Error(`match answered ${response.status}`);
      sizes[response.status === 200 ? 'filled' : 'no'].push(lengthOf(response.headers) + answer.byteLength);
    };
    const texts = conversations(count * 3);
    const first = (at: number) => `${said(texts[at]!)}\nAssistant: Tell me more.\n${said(texts[at + count]!)}`;
    const next = (at: number) => `${first(at)}\nAssistant: I see.\n${said(texts[at + 2 * count]!)}`;
    for (let at = 0; at < 2 * count; at++) await ask(texts[at]!, `warm-${at}`);
    const opening = await measured(pid, count, (at) => ask(texts[at]!, `opening-${at}`));
    const unknown = await measured(pid, count, (at) => ask(next(at), `unknown-${at}`));
    for (let at = 0; at < count; at++) await ask(first(at), `chat-${at}`);
    const remembered = await measured(pid, count, (at) => ask(next(at), `chat-${at}`));
    return {
      opening,
      unknown,
      remembered,
      filledBytes: mean(sizes.filled),
      noFillBytes: mean(sizes.no),
      residentBytes: residentBytes(pid),
    };
  });
}

async function measured(pid: number, count: number, ask: (at: number) => Promise<void>): Promise<OneMatch> {
  const took = { loop: [] as number[], encoder: [] as number[], wall: [] as number[] };
  let before = processorTime(pid);
  for (let at = 0; at < count; at++) {
    const begun = performance.now();
    await ask(at);
    took.wall.push(performance.now() - begun);
    const after = processorTime(pid);
    took.loop.push(after.main - before.main);
    took.encoder.push(after.all - after.main - (before.all - before.main));
    before = after;
  }
  return {
    loop: mean(took.loop),
    encoder: mean(took.encoder),
    encoderQuantiles: Array.from({ length: 10 }, (_, tenth) => quantile(took.encoder, (tenth + 0.5) / 10)),
    p50: quantile(took.wall, 0.5),
  };
}

/** Converts any text to one turn of the person. */
function said(text: string): string {
  return `User: ${text.slice(0, 300).replaceAll(/\w+: |\s+/g, ' ')}`;
}

function lengthOf(headers: Headers): number {
  return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

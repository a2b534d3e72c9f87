import { API } from '../../server/domain/urls.js';
import { conversations, withService } from './service.js';
import { quantile } from './table.js';
import { processorTime, residentBytes } from './processor-time.js';

/** What matches cost a server, one at a time. */
export interface MatchCosts {
  /** A conversation of `test/eval`, most of which have one turn. */
  readonly opening: OneMatch;
  /** One in which the person speaks for the third time: new to the server, and with the rest of it remembered. */
  readonly unknown: OneMatch;
  readonly remembered: OneMatch;
  /** Of answers over the network without TLS, headers included. */
  readonly filledBytes: number;
  readonly noFillBytes: number;
  /** A process with one encoder thread and the sample catalogue. */
  readonly residentBytes: number;
}

/** Milliseconds. */
interface OneMatch {
  /** Processor time on the event loop, mean. */
  readonly loop: number;
  /** Processor time in other threads, that is of the encoders, mean. */
  readonly encoder: number;
  /** The 5th, 15th … 95th percentile of the latter: how conversations differ. */
  readonly encoderQuantiles: readonly number[];
  /** From request to answer. */
  readonly p50: number;
}

/** With the encoder that PROFILE or MODEL names. */
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

/** One turn of the person, of whatever was said. */
function said(text: string): string {
  return `User: ${text.slice(0, 300).replaceAll(/\w+: |\s+/g, ' ')}`;
}

function lengthOf(headers: Headers): number {
  return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

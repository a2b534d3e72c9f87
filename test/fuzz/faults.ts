import type { Measured } from './event-loop-child.js';
import type { Received } from './send.js';

/** Checks for faults of the server: in its responses, in its log, and in the measurements. */
export const findFaults = { inAnswer, inLog, inMeasures };

/** 501 is no failure, but the HTTP status for an unknown method. */
const MAY_BE_ANSWERED = new Set([501, 503]);

/** Internal details that a response must not reveal. */
const INSIDE = /\bat (async )?(file:\/\/|node:|[\w.]+ \()|node_modules|\/dist\/server\/|SQLITE_|ENOENT/;

function inAnswer({ text, statuses, ended }: Received): string[] {
  const failed = statuses.filter((status) => status >= 500 && !MAY_BE_ANSWERED.has(status));
  const [inside] = INSIDE.exec(text) ?? [];
  return [
    ...failed.map((status) => `answered ${status}`),
    ...(inside === undefined ? [] : [`the answer shows ${JSON.stringify(inside)}`]),
    ...(ended ? [] : ['neither answered nor closed']),
  ];
}

/** Finds errors and stacks in the log of a server that was fuzzed. */
function inLog(log: string): string[] {
  const lines = log.split('\n').filter((line) => line !== '');
  const faults = lines.filter((line) => !line.startsWith('{') || (JSON.parse(line) as { level: number }).level >= 50);
  return faults.slice(0, 10).map((line) => `logged: ${line.slice(0, 600)}`);
}

const MAX_TURN_MS = 100;
/** Allowance for caches that still fill after the first round: pages, sessions, compiled code. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

function inMeasures(measured: readonly Measured[]): string[] {
  const [, ...after] = measured;
  const slow = after.filter(({ busyMs }) => busyMs > MAX_TURN_MS).map(({ busyMs }) => Math.round(busyMs));
  const grown = heapGrowth(measured);
  return [
    ...(slow.length === 0 ? [] : [`one turn of the event loop took ${Math.max(...slow)} ms`]),
    ...(grown <= MAX_GROWTH_BYTES ? [] : [`the heap grew by ${Math.round(grown / 2 ** 20)} MiB`]),
  ];
}

/** Returns the growth from the first quarter of a run to its last, by medians, in bytes. */
function heapGrowth(measured: readonly Measured[]): number {
  const quarter = Math.max(1, Math.floor(measured.length / 4));
  const median = (part: readonly Measured[]): number =>
    part.map(({ heapBytes }) => heapBytes).toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
  return median(measured.slice(-quarter)) - median(measured.slice(0, quarter));
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from '#typebox';
import { checker, requireValid } from '../schema/check.js';

const Moment = Type.String({ format: 'date-time' });
const Entry = Type.Object({
  landingUrl: Type.String(),
  leftAt: Type.Union([Type.Null(), Moment]),
  /** The feed that has, or had, the creative; absent in older tables. */
  source: Type.Optional(Type.String()),
});
export type LandingUrl = Static<typeof Entry>;
const checkEntry = checker(Entry, { wellFormed: false });
const checkTable = checker(
  Type.Object({ creatives: Type.Record(Type.String(), Type.Unknown()), images: Type.Record(Type.String(), Moment) }),
  { wellFormed: false },
);

/** The table before the first publication. */
export const NO_TABLE: LandingUrls = { creatives: new Map(), images: new Map() };
// A few milliseconds of work between two turns of the event loop.
const BATCH = 1000;

/** Landing URLs of all creatives that can still be clicked. */
export interface LandingUrls {
  /**
   * By creative id. `leftAt` is when the last kept snapshot that names the creative was removed; null while one is
   * kept.
   */
  readonly creatives: ReadonlyMap<string, LandingUrl>;
  /** When each image left the last kept snapshot, by file name. Images still in use are not listed. */
  readonly images: ReadonlyMap<string, string>;
}

// One JSON text, so that every release can read it. One creative per line, so that it can be parsed in batches.
const BEFORE_CREATIVES = '{"creatives":{\n';
const BEFORE_IMAGES = '\n},"images":{\n';
const END = '\n}}\n';

/** Returns the text of a table, as `landing-urls.json` has it. */
export function tableText({ creatives, images }: LandingUrls): string {
  const lines = (members: ReadonlyMap<string, unknown>): string =>
    Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',\n');
  return `${BEFORE_CREATIVES}${lines(creatives)}${BEFORE_IMAGES}${lines(images)}${END}`;
}

/** Parses a table. @throws Error when the text is not a valid table */
export async function parseTable(text: string): Promise<LandingUrls> {
  const end = text.lastIndexOf(BEFORE_IMAGES);
  const inLines = text.startsWith(BEFORE_CREATIVES) && end > 0;
  const rest = inLines ? `{"creatives":{},${text.slice(end + '\n},'.length)}` : text;
  const { creatives, images } = requireValid(checkTable(JSON.parse(rest)));
  const members = inLines
    ? membersIn(text, BEFORE_CREATIVES.length, end)
    : // As releases before 2026-11-28 wrote it.
      Object.entries(creatives);
  const entries = new Map<string, LandingUrl>();
  for (const [id, entry] of members) {
    if (entries.size % BATCH === 0) await nextTurn();
    entries.set(id, requireValid(checkEntry(entry)));
  }
  return { creatives: entries, images: new Map(Object.entries(images)) };
}

/** Yields the members of an object that are written one per line between two offsets of a text. @throws SyntaxError */
function* membersIn(text: string, from: number, end: number): Generator<[string, unknown]> {
  for (let at = from; at < end;) {
    const next = text.indexOf('\n', at);
    const member = text.slice(at, text[next - 1] === ',' ? next - 1 : next);
    yield* Object.entries(JSON.parse(`{${member}}`) as object);
    at = next + 1;
  }
}

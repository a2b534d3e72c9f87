import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Type, type TSchema } from '#typebox';
import { checker } from '../../models/schema/check.js';
import { Pricing } from '../../models/schema/creative.js';
import { appendDurably } from '../../platform/files/append-durably.js';
import { replaceDurably, syncPath } from '../../platform/files/durable.js';
import type { UsageEvent } from '../ledger/tables/ledger.js';

const orNull = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
/** Epoch milliseconds up to the year 9998: its days have dates in every time zone. */
const Moment = Type.Integer({ minimum: 0, maximum: Date.UTC(9999, 0) });
/** PostgreSQL stores no NUL. */
const Name = Type.String({ pattern: '^[^\\u0000]*$' });
const Micros = orNull(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
/**
 * A line that the ledger can store. It is checked completely, because the ledger's thread ends at an event that it
 * cannot store, with all others of its batch.
 */
const Waiting = Type.Object({
  kind: Type.Union([Type.Literal('click'), Type.Literal('impression'), Type.Literal('view')]),
  id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  claims: Type.Object({
    publisher: Name,
    creative: Name,
    campaign: orNull(Name),
    advertiser: orNull(Name),
    pricing: orNull(Pricing),
    issuedAt: Moment,
    test: Type.Boolean(),
    browsersOnly: Type.Optional(Type.Literal(true)),
    limits: Type.Optional(Type.Object({ totalMicros: Micros, dailyMicros: Micros })),
  }),
  at: Moment,
  needsShown: Type.Optional(Type.Literal(true)),
  shownBy: Type.Optional(Type.Number()),
  shownElsewhere: Type.Optional(Type.Literal(true)),
  seenAt: Type.Optional(Type.Number()),
});
const check = checker(Waiting);

/** Reads the spool's file: its events, and the lines that hold none. */
export async function readEvents(file: string): Promise<{ events: UsageEvent[]; damaged: string[] }> {
  const events: UsageEvent[] = [];
  const damaged: string[] = [];
  for (const line of await readLines(file)) {
    const event = readEvent(line);
    if (event === undefined) damaged.push(line);
    else events.push(event);
  }
  return { events, damaged };
}

/** Adds events to the file, in one durable write. */
export async function appendEvents(file: string, events: readonly UsageEvent[]): Promise<void> {
  await appendDurably(
    file,
    events.map((event) => JSON.stringify(event)),
  );
}

/** Replaces the file's events. Deletes the file if there are none. */
export async function rewriteEvents(file: string, events: readonly UsageEvent[]): Promise<void> {
  if (events.length > 0) {
    await replaceDurably(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''), 0o600);
  } else {
    await rm(file, { force: true });
    await syncPath(path.dirname(file));
  }
}

/** Keeps lines that are no events in another file beside this one, each once. */
export async function keepDamaged(file: string, lines: readonly string[]): Promise<void> {
  const kept = new Set(await readLines(`${file}.damaged`));
  const fresh = lines.filter((line) => !kept.has(line));
  if (fresh.length > 0) await appendDurably(`${file}.damaged`, fresh);
}

/** Returns the lines of a file; none if there is no file. */
async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter((line) => line !== '');
}

function readEvent(line: string): UsageEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return check(value).ok ? (value as UsageEvent) : undefined;
  } catch {
    return undefined;
  }
}

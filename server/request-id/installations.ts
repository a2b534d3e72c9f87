import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { Type, type Static } from 'typebox';

const Moment = Type.String({ format: 'date-time' });

/** A name under which ads were answered from this data directory. */
export const StoredInstallation = Type.Object({
  /** 4 bytes in hex: what request ids carry. */
  id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
  /** Where the data directory was, as a hash, or which database; null: the INSTALLATION setting named it. */
  place: Type.Union([Type.String(), Type.Null()]),
  since: Moment,
  /** When another one took its place; null: not yet. */
  leftAt: Type.Union([Moment, Type.Null()]),
});
export type StoredInstallation = Static<typeof StoredInstallation>;

/** A server that was replaced, or has not read of it, may answer ads for so long. */
const OVERLAP_MS = 24 * 3_600_000;
/** A directory that is somewhere else at every start has so many names before the first is forgotten. */
const MOST_LEFT = 1000;

/**
 * The installations of a data directory, the present one first. A directory that was copied or moved gets another id, since
 * nobody can tell the copy from the original: what the copy answers is unknown where it was copied from, and what was
 * answered before goes on counting in both.
 *
 * @param place of a data directory (`placeOf`), or the id of the database that nodes share
 * @param name the INSTALLATION setting: the same id wherever it is set; null: the directory's own
 */
export function settleInstallation(
  stored: readonly StoredInstallation[],
  { place: own, name }: { readonly place: string; readonly name: string | null },
  now: number,
): [StoredInstallation, ...StoredInstallation[]] {
  const place = name === null ? own : null;
  const named = name === null ? undefined : idOf(name);
  const present = stored.find((each) => each.leftAt === null);
  const others = stored.filter((each) => each !== present).slice(0, MOST_LEFT);
  if (present !== undefined && (named ?? present.id) === present.id && present.place === place)
    return [present, ...others];
  const moment = new Date(now).toISOString();
  const fresh = { id: named ?? randomBytes(4).toString('hex'), place, since: moment, leftAt: null };
  const left = present === undefined ? [] : [{ ...present, leftAt: latest(moment, present.since) }];
  return [fresh, ...[...left, ...others].filter(({ id }) => id !== fresh.id)];
}

/** Until when ads were answered under each id, epoch milliseconds. */
export function answeredUntil(stored: readonly StoredInstallation[]): [id: string, moment: number][] {
  return stored.map(({ id, leftAt }) => [id, leftAt === null ? Infinity : Date.parse(leftAt) + OVERLAP_MS]);
}

/** Until when releases before this one answered ads here, whose ids carry no installation. */
export function answeredWithoutUntil(numberedSince: string): number {
  return Date.parse(numberedSince) + OVERLAP_MS;
}

function idOf(name: string): string {
  return createHash('sha256').update('adjacent installation').update(name).digest('hex').slice(0, 8);
}

/** The machine, the directory's path there, and the directory itself, which a copy is not. */
export function placeOf(dataDir: string): string {
  const path = realpathSync(dataDir);
  const { ino, birthtimeMs } = statSync(path);
  return createHash('sha256')
    .update(JSON.stringify([machine(), path, ino, birthtimeMs]))
    .digest('hex')
    .slice(0, 32);
}

function machine(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}

/** The clock may have been set back since. */
function latest(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}

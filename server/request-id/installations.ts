import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { Type, type Static } from '#typebox';
import { DAY } from '../../platform/time/durations.js';
import { sha256 } from '../../platform/text/sha256.js';

const Moment = Type.String({ format: 'date-time' });

/** An id under which ads were served from this data directory. */
export const StoredInstallation = Type.Object({
  /** 4 bytes in hex, as in request ids. */
  id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
  /** Hash of the data directory's location, or the id of the database; null: the INSTALLATION setting named it. */
  place: Type.Union([Type.String(), Type.Null()]),
  since: Moment,
  /** When another installation replaced it; null: it is current. */
  leftAt: Type.Union([Moment, Type.Null()]),
});
export type StoredInstallation = Static<typeof StoredInstallation>;

/** A replaced server, or one that has not read the change, may go on serving ads for this long. */
const OVERLAP_MS = DAY;
/** A directory that moves at every start has this many ids before the oldest is dropped. */
const MAX_LEFT = 1000;

/**
 * Returns the installations of a data directory, the current one first. A copied or moved directory gets a new id,
 * since a copy cannot be distinguished from the original: ads that the copy serves are unknown at the original, and ads
 * served before go on counting in both.
 *
 * @param place location of the data directory (`placeOf`), or the id of the shared database
 * @param name the INSTALLATION setting, which gives the same id wherever it is set; null: the directory's own
 */
export function resolveInstallation(
  stored: readonly StoredInstallation[],
  { place: own, name }: { readonly place: string; readonly name: string | null },
  now: number,
): [StoredInstallation, ...StoredInstallation[]] {
  const place = name === null ? own : null;
  const named = name === null ? undefined : idOf(name);
  const present = stored.find((each) => each.leftAt === null);
  const others = stored.filter((each) => each !== present).slice(0, MAX_LEFT);
  if (present !== undefined && (named ?? present.id) === present.id && present.place === place)
    return [present, ...others];
  const moment = new Date(now).toISOString();
  const fresh = { id: named ?? randomBytes(4).toString('hex'), place, since: moment, leftAt: null };
  const left = present === undefined ? [] : [{ ...present, leftAt: latest(moment, present.since) }];
  return [fresh, ...[...left, ...others].filter(({ id }) => id !== fresh.id)];
}

/** Returns until when ads were served under each id, epoch milliseconds. */
export function servedUntil(stored: readonly StoredInstallation[]): [id: string, moment: number][] {
  return stored.map(({ id, leftAt }) => [id, leftAt === null ? Infinity : Date.parse(leftAt) + OVERLAP_MS]);
}

/** Returns until when releases whose ids carry no installation served ads here, epoch milliseconds. */
export function servedWithoutInstallationUntil(numberedSince: string): number {
  return Date.parse(numberedSince) + OVERLAP_MS;
}

function idOf(name: string): string {
  return sha256(`adjacent installation${name}`).slice(0, 8);
}

/**
 * Hashes the machine, the directory's path and the directory's identity (inode and birth time), which a copy does not
 * share.
 */
export function placeOf(dataDir: string): string {
  const path = realpathSync(dataDir);
  const { ino, birthtimeMs } = statSync(path);
  return sha256(JSON.stringify([machine(), path, ino, birthtimeMs])).slice(0, 32);
}

function machine(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}

/** Returns the later of two moments: the clock may have been set back between them. */
function latest(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { linesBackwards, linesFrom } from '../../platform/files/lines.js';
import { AUDIT_FILE, type AuditEntry, type Subject } from './audit-log.js';

/** Selects entries; an absent field matches any. */
export interface AuditFilter {
  readonly kind?: Subject['kind'] | undefined;
  /** A campaign's name also matches without its advertiser: then the campaigns of that name of all advertisers. */
  readonly name?: string | undefined;
  /** A part of the name, in any case. */
  readonly part?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
}

/** How far to read. */
export interface AuditExtent {
  /** The byte to read back from: the `next` of the previous reading. */
  readonly before?: number | undefined;
  /** Max number of entries. */
  readonly entries?: number;
  /** Approximate max number of bytes to read. */
  readonly bytes?: number;
}

/**
 * Entries of the log, latest first, and the number of unreadable lines: cut off by a full disk or a crash, or edited.
 */
export interface AuditReading {
  readonly entries: readonly AuditEntry[];
  readonly damaged: number;
  /** The byte to continue from; null: the whole log is read. */
  readonly next: number | null;
}

/** Reads the log backwards from its end, so that no more of it is read than needed. */
export async function readAudit(
  dataDir: string,
  filter: AuditFilter = {},
  { before, entries: maxEntries = Infinity, bytes: maxBytes = Infinity }: AuditExtent = {},
): Promise<AuditReading> {
  const entries: AuditEntry[] = [];
  let damaged = 0;
  let last: number | undefined;
  for await (const { text, begin, end } of linesBackwards(join(dataDir, AUDIT_FILE), before)) {
    const entry = readEntry(text);
    if (entry === undefined) damaged++;
    else if (isWanted(entry, filter)) entries.push(entry);
    last ??= end;
    if (begin > 0 && (entries.length >= maxEntries || last - begin >= maxBytes))
      return { entries, damaged, next: begin };
  }
  return { entries, damaged, next: null };
}

/** Returns the log's length in bytes. */
export async function auditLength(dataDir: string): Promise<number> {
  const { size } = await stat(join(dataDir, AUDIT_FILE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return { size: 0 };
    throw error;
  });
  return size;
}

/**
 * Yields the entries added after a byte, earliest first, each with the byte at which it ends. If the log has become
 * shorter, yields all entries.
 */
export async function* auditAfter(
  dataDir: string,
  after: number,
): AsyncGenerator<{ readonly entry: AuditEntry; readonly end: number }> {
  for await (const { text, end } of linesFrom(join(dataDir, AUDIT_FILE), after)) {
    const entry = readEntry(text);
    if (entry !== undefined) yield { entry, end };
  }
}

function isWanted({ at, subject }: AuditEntry, { kind, name, part, since }: AuditFilter): boolean {
  return (
    (kind === undefined || subject.kind === kind) &&
    (name === undefined || isNamed(subject, name)) &&
    (part === undefined || subject.name.toLowerCase().includes(part.toLowerCase())) &&
    (since === undefined || Date.parse(at) >= since)
  );
}

function isNamed({ kind, name }: Subject, wanted: string): boolean {
  return name === wanted || (kind === 'campaign' && name.startsWith(`${wanted} (`));
}

function readEntry(line: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<AuditEntry> | null;
    const whole = typeof entry?.at === 'string' && typeof entry.action === 'string' && entry.by && entry.subject;
    return whole ? { ...(entry as AuditEntry), fields: entry.fields ?? {} } : undefined;
  } catch {
    return undefined;
  }
}

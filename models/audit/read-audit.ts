import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { linesBackwards, linesFrom } from '../../platform/files/lines.js';
import { AUDIT_FILE, type AuditEntry, type Subject } from './audit-log.js';

/** Which entries are asked for; what is absent is any. */
export interface AuditFilter {
  readonly kind?: Subject['kind'] | undefined;
  /** Of a campaign also without the advertiser behind it: that of any. */
  readonly name?: string | undefined;
  /** Epoch milliseconds, of the first moment that counts in. */
  readonly since?: number | undefined;
}

/** How far to read. */
export interface AuditExtent {
  /** The byte before which to begin: the `next` of what was read before. */
  readonly before?: number | undefined;
  /** How many entries at most. */
  readonly entries?: number;
  /** How many bytes, about, at most. */
  readonly bytes?: number;
}

/** Entries of the log, latest first, and how many lines cannot be read: a full disk or a crash cut them off, or somebody edited them. */
export interface AuditReading {
  readonly entries: readonly AuditEntry[];
  readonly damaged: number;
  /** The byte before which to go on; null: all is read. */
  readonly next: number | null;
}

/** Reads the log from its end back, so that no more of it is read than is asked for. */
export async function readAudit(
  dataDir: string,
  filter: AuditFilter = {},
  { before, entries: most = Infinity, bytes = Infinity }: AuditExtent = {},
): Promise<AuditReading> {
  const entries: AuditEntry[] = [];
  let damaged = 0;
  let last: number | undefined;
  for await (const { text, begin, end } of linesBackwards(join(dataDir, AUDIT_FILE), before)) {
    const entry = readEntry(text);
    if (entry === undefined) damaged++;
    else if (isWanted(entry, filter)) entries.push(entry);
    last ??= end;
    if (begin > 0 && (entries.length >= most || last - begin >= bytes)) return { entries, damaged, next: begin };
  }
  return { entries, damaged, next: null };
}

/** How long the log is, in bytes. */
export async function auditLength(dataDir: string): Promise<number> {
  const { size } = await stat(join(dataDir, AUDIT_FILE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return { size: 0 };
    throw error;
  });
  return size;
}

/**
 * The entries that were added after a byte, the earliest first, each with the byte behind it. Of a log that has become shorter,
 * all.
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

function isWanted({ at, subject }: AuditEntry, { kind, name, since }: AuditFilter): boolean {
  return (
    (kind === undefined || subject.kind === kind) &&
    (name === undefined || isNamed(subject, name)) &&
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

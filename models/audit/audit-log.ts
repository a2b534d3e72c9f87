import { join } from 'node:path';
import { appendToLog, appendWithin } from '../../platform/cluster/logs.js';
import type { DataLocation } from '../../platform/cluster/data-location.js';
import type { Transaction } from '../../platform/cluster/transaction.js';
import { appendDurably } from '../../platform/files/append-durably.js';
import { makeDataDirectory } from '../../platform/files/data-directory.js';
import type { Actor } from './actor.js';

/** The log's file within DATA_DIR: lines of JSON, only ever added to. */
export const AUDIT_FILE = 'audit.jsonl';

/** The kinds of things whose changes are recorded. */
export const SUBJECTS = [
  'campaign',
  'creative',
  'key',
  'publisher',
  'signing-key',
  'access-token',
  'snapshot',
  'billing',
  'invoice',
  'correction',
  'ledger',
] as const;

/** The thing that was changed. */
export interface Subject {
  readonly kind: (typeof SUBJECTS)[number];
  readonly name: string;
}

/** A field's value before and after; null: not set. Money is in micros. */
export interface FieldChange {
  readonly old: unknown;
  readonly new: unknown;
  /** Which of the two values comes from the feed, since nothing is set over it. */
  readonly feed?: 'old' | 'new';
}

/** Who changed what, and when. */
export interface AuditEntry {
  /** RFC 3339 */
  readonly at: string;
  readonly by: Actor;
  /** The command's words: `campaigns set`, `keys rotate`. */
  readonly action: string;
  readonly subject: Subject;
  readonly fields: Readonly<Record<string, FieldChange>>;
  /** Digest of the audited content after the change. */
  readonly content?: string;
  /** Why the change failed after it was recorded. */
  readonly failed?: string;
}

/**
 * Records that changes already recorded have failed. If the disk refuses this entry too, the log keeps the first entry
 * alone, and an operator has to compare it with the store.
 */
export async function recordFailure(
  location: DataLocation,
  entries: readonly AuditEntry[],
  error: unknown,
): Promise<void> {
  const failed = entries.map((entry) => ({ ...entry, failed: (error as Error).message }));
  await recordAudit(location, failed).catch(() => undefined);
}

/**
 * Adds entries, which are durable on return. Called before the change is made, except for rollbacks: what cannot be
 * recorded is not done.
 *
 * @param within the transaction to write them in, if any
 * @throws Error when the disk or the database refuses them
 */
export async function recordAudit(
  { dataDir, cluster }: DataLocation,
  entries: readonly AuditEntry[],
  within: Transaction | null = null,
): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.map((entry) => JSON.stringify(entry));
  if (within !== null) return appendWithin(within, AUDIT_FILE, lines);
  if (cluster) return appendToLog(cluster, AUDIT_FILE, lines);
  makeDataDirectory(dataDir);
  return appendDurably(join(dataDir, AUDIT_FILE), lines);
}

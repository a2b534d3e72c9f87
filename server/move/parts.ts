import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AUDIT_FILE } from '../../models/audit/audit-log.js';
import type { DocumentsAndLogs } from '../../platform/cluster/documents-and-logs.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { calibratedFile } from '../../models/scoring/decision-model.js';
import { HISTORY, LANDING_URLS, POINTER } from '../../models/snapshot/layout.js';

/** The small files of DATA_DIR that nodes share as documents. They are moved. */
export const DOCUMENTS: readonly string[] = [
  'keys.json',
  'campaigns.json',
  'taken-down.json',
  'signing-keys.json',
  'access-tokens.json',
  'billing.json',
  'admin-token',
  path.basename(calibratedFile('')),
  LANDING_URLS,
  POINTER,
];

/** The append-only files of DATA_DIR that nodes share. */
export const LOGS: readonly string[] = [AUDIT_FILE, HISTORY];

/** A document that only nodes share: a server without a database makes a demo key at each start. */
export const DEMO_KEY = 'demo-key.json';

/** Reads the documents and logs that a DATA_DIR has. */
export async function readParts(dataDir: string): Promise<DocumentsAndLogs> {
  const [documents, logs] = [new Map<string, string>(), new Map<string, readonly string[]>()];
  for (const name of DOCUMENTS) {
    const text = (await readIfThere(path.join(dataDir, name)))?.toString('utf8');
    if (text !== undefined) documents.set(name, text);
  }
  for (const name of LOGS) {
    const bytes = await readIfThere(path.join(dataDir, name));
    if (bytes !== undefined) logs.set(name, storableLines(bytes));
  }
  return { documents, logs };
}

/**
 * Returns a log's text as a database can store it: a crash may have left zeros, part of a character, or an unfinished
 * line.
 */
export function storableLog(bytes: Buffer): string {
  return storableLines(bytes)
    .map((line) => `${line}\n`)
    .join('');
}

/** Rewrites logs with the bytes that the database has, which may differ after a crash (`storableLog`). */
export async function alignLogs(dataDir: string): Promise<void> {
  for (const name of LOGS) {
    const file = path.join(dataDir, name);
    const bytes = await readIfThere(file);
    if (bytes === undefined) continue;
    const text = storableLog(bytes);
    if (!bytes.equals(Buffer.from(text))) await replaceDurably(file, text, 0o600);
  }
}

export async function readIfThere(file: string): Promise<Buffer | undefined> {
  return existsSync(file) ? readFile(file) : undefined;
}

function storableLines(bytes: Buffer): string[] {
  const lines = bytes.toString('utf8').replaceAll('\0', '\ufffd').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AUDIT_FILE } from '../../models/audit/audit-log.js';
import type { MovingParts } from '../../platform/cluster/moving-parts.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { calibratedFile } from '../../models/scoring/decision-model.js';
import { HISTORY, LANDING_URLS, POINTER } from '../../models/snapshot/layout.js';

/** The small files of DATA_DIR that nodes share as documents, and so are moved. */
export const DOCUMENTS: readonly string[] = [
  'keys.json',
  'campaigns.json',
  'taken-down.json',
  'signing-keys.json',
  'admin-token',
  path.basename(calibratedFile('')),
  LANDING_URLS,
  POINTER,
];

/** Those that are only ever added to. */
export const LOGS: readonly string[] = [AUDIT_FILE, HISTORY];

/** A document of nodes alone: a server by itself makes a demo key at each start. */
export const DEMO_KEY = 'demo-key.json';

/** All that a DATA_DIR has of them. */
export async function readParts(dataDir: string): Promise<MovingParts> {
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

/** A log's bytes as a database can hold them: a crash may have left zeros, half a character, or a line without its end. */
export function storableLog(bytes: Buffer): string {
  return storableLines(bytes)
    .map((line) => `${line}\n`)
    .join('');
}

/** A copy of a log has the database's bytes; those of the log that it was made of may be others. */
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

import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { measureParts, measureText, type TextMeasure } from '../../platform/cluster/documents-and-logs.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { measureCatalogue, measureShared } from './catalogue.js';
import { measureLedger } from './measure-ledger.js';
import { DEMO_KEY, DOCUMENTS, LOGS, readIfThere, storableLog } from './parts.js';

/** One part of an installation, as measured on both sides; null: missing there. */
export interface Compared {
  readonly what: string;
  readonly dataDir: string | null;
  readonly database: string | null;
}

/** The ledgers on both sides. */
export interface Ledgers {
  readonly file: LedgerDatabase;
  readonly database: LedgerDatabase;
}

/**
 * Measures an installation at its old and its new place: every document, log, snapshot and table of the ledger.
 * Measures the old place last, and there the slow parts first: so it detects what a command has changed since the copy,
 * which must not be lost.
 *
 * @param from the old place
 */
export async function compare(
  cluster: Cluster,
  ledgers: Ledgers,
  from: 'DATA_DIR' | 'database',
): Promise<readonly Compared[]> {
  const { dataDir } = cluster;
  const measureHere = async () => {
    const ledger = measureLedger(ledgers.file);
    const catalogue = await measureCatalogue(dataDir);
    return [await measureOwnParts(dataDir), catalogue, ledger];
  };
  const measureThere = async () => {
    const ledger = measureLedger(ledgers.database);
    const shared = await measureShared(cluster);
    return [withoutDemo(texts(await measureParts(cluster))), shared, ledger];
  };
  const [measureCopy, measureOriginal] =
    from === 'DATA_DIR' ? [measureThere, measureHere] : [measureHere, measureThere];
  const copy = await measureCopy();
  const original = await measureOriginal();
  const [here, there] = from === 'DATA_DIR' ? [original, copy] : [copy, original];
  return here.flatMap((one, at) => {
    const other = there[at]!;
    return [...new Set([...one.keys(), ...other.keys()])].map((what) => ({
      what,
      dataDir: one.get(what) ?? null,
      database: other.get(what) ?? null,
    }));
  });
}

export function isEqual({ dataDir, database }: Compared): boolean {
  return dataDir === database;
}

async function measureOwnParts(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const measured = new Map<string, TextMeasure>();
  for (const name of [...DOCUMENTS, ...LOGS]) {
    const bytes = await readIfThere(path.join(dataDir, name));
    if (bytes !== undefined) measured.set(name, measureText(LOGS.includes(name) ? storableLog(bytes) : bytes));
  }
  return texts(measured);
}

function texts(measured: ReadonlyMap<string, TextMeasure>): Map<string, string> {
  return new Map([...measured].map(([name, { bytes, sha256 }]) => [name, `${bytes} bytes, sha256 ${sha256}`]));
}

function withoutDemo(measured: Map<string, string>): ReadonlyMap<string, string> {
  measured.delete(DEMO_KEY);
  return measured;
}

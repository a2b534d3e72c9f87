import path from 'node:path';
import { checker } from '../schema/check.js';
import { Creative } from '../schema/creative.js';
import { BUILDING, FIRST_INDEX } from './layout.js';
import { type Manifest, readManifest, snapshotId } from './manifest.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { linesOf } from './read-creatives.js';
import { checkLength } from './read-vectors.js';
import { readStoredFile } from './stored-file.js';

/** A snapshot without its graphs and vectors. */
export interface StoredCreatives {
  readonly id: string;
  readonly manifest: Manifest;
  readonly creatives: readonly Creative[];
}

/** The encoder with which a snapshot must have been made. */
export interface ExpectedEncoder {
  readonly fingerprint: string;
  readonly dims: number;
  /** The encoder for other languages. Its part of the snapshot is loaded too, if there is one. */
  readonly multilingual?: ExpectedEncoder | null | undefined;
}

/** Loads and checks manifest and creatives in batches. @throws SnapshotFaultError */
export async function loadCreatives(directory: string, encoder: ExpectedEncoder): Promise<StoredCreatives> {
  const manifest = await readManifest(directory);
  const { id } = manifest;
  const fault = (field: string, reason: string): SnapshotFaultError => new SnapshotFaultError(id, field, reason);
  const directoryName = path.basename(directory);
  if (directoryName !== id && !directoryName.startsWith(BUILDING)) {
    throw fault('id', `is not the name of its directory, ${directoryName}`);
  }
  if (manifest.encoder.fingerprint !== encoder.fingerprint) {
    const other = `is ${manifest.encoder.fingerprint} (${manifest.encoder.name}), the encoder's is ${encoder.fingerprint}`;
    throw fault('encoder.fingerprint', `${other}; index the feed again with this model`);
  }
  if (manifest.encoder.dims !== encoder.dims) {
    throw fault('encoder.dims', `is ${manifest.encoder.dims}, the encoder's is ${encoder.dims}`);
  }
  checkLength(manifest, encoder.dims, FIRST_INDEX);
  const creatives = await readCreatives(directory, manifest);
  if (snapshotId(manifest) !== id) throw fault('id', 'does not belong to the manifest; the manifest was altered');
  return { id, manifest, creatives };
}

const checkCreative = checker(Creative, { wellFormed: false });

async function readCreatives(directory: string, manifest: Manifest): Promise<Creative[]> {
  const { id, counts } = manifest;
  const creatives: Creative[] = [];
  for await (const line of linesOf(await readStoredFile(directory, manifest, 'creatives.jsonl'))) {
    creatives.push(readCreative(id, line, creatives.length + 1));
  }
  if (creatives.length === counts.creatives) return creatives;
  const reason = `is ${counts.creatives}, but creatives.jsonl holds ${creatives.length}`;
  throw new SnapshotFaultError(id, 'counts.creatives', reason);
}

function readCreative(id: string, text: string, line: number): Creative {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SnapshotFaultError(id, 'creatives.jsonl', `line ${line} is not valid JSON`);
  }
  const checked = checkCreative(value);
  if (checked.ok) return checked.value;
  const [fault] = checked.faults;
  throw new SnapshotFaultError(id, 'creatives.jsonl', `line ${line}: ${fault?.field ?? ''} ${fault?.message ?? ''}`);
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from '#typebox';
import { checker } from '../schema/check.js';
import { sha256 } from '../../platform/text/sha256.js';
import { MANIFEST } from './layout.js';
import { readFault, SnapshotFaultError } from './snapshot-fault.js';

/** Incremented with every change that an older loader would misread. */
export const FORMAT_VERSION = 1;

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'a SHA-256 in hex' });
const StoredFile = Type.Object({ bytes: Type.Integer({ minimum: 0 }), sha256: Digest });

const EncoderName = Type.Object({
  name: Type.String(),
  fingerprint: Type.String(),
  dims: Type.Integer({ minimum: 1 }),
});

/** The description that a snapshot contains of itself. */
export const Manifest = Type.Object({
  formatVersion: Type.Literal(FORMAT_VERSION),
  /** Digest of all fields below except `builtAt`, `sources`, `telling` and `pictures`: the same input gives the same id. */
  id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  name: Type.String(),
  builtAt: Type.String({ format: 'date-time' }),
  source: Type.Object({ format: Type.String(), digest: Digest }),
  encoder: EncoderName,
  /** The encoder for other languages, whose vectors are stored beside those of the first; absent: there are none. */
  multilingual: Type.Optional(EncoderName),
  counts: Type.Object({ creatives: Type.Integer({ minimum: 0 }) }),
  /** Number of creatives per source; absent: all belong to the default source. Derived from creatives.jsonl. */
  sources: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
  /**
   * The `DETECTION_VERSION` with which each `writtenIn` was detected; absent: an earlier one. It is not part of the id,
   * which releases without this field check too. A rebuilt catalogue that is otherwise identical therefore keeps the
   * value of its first build, and its languages are detected once more.
   */
  telling: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Version of the rules by which every image of the catalogue was decoded and checked; absent: some may not be. */
  pictures: Type.Optional(Type.Integer({ minimum: 1 })),
  files: Type.Object({
    'creatives.jsonl': StoredFile,
    'vectors.f32': StoredFile,
    /** Exactly one of the two graphs: `graph.usearch` in a large catalogue. */
    'graph.hnsw': Type.Optional(StoredFile),
    'graph.usearch': Type.Optional(StoredFile),
    'multilingual.f32': Type.Optional(StoredFile),
    'multilingual.hnsw': Type.Optional(StoredFile),
    'multilingual.usearch': Type.Optional(StoredFile),
  }),
});
export type Manifest = Static<typeof Manifest>;

const checkManifest = checker(Manifest);

/** Returns the id that belongs to a manifest's content. */
export function snapshotId(content: Omit<Manifest, 'id' | 'builtAt' | 'sources' | 'telling' | 'pictures'>): string {
  const { formatVersion, name, source, encoder, multilingual, counts, files } = content;
  const identity = [
    [formatVersion, name, source.format, source.digest],
    [encoder.name, encoder.fingerprint, encoder.dims, counts.creatives],
    ...(multilingual ? [[multilingual.name, multilingual.fingerprint, multilingual.dims]] : []),
    Object.entries(files)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, { bytes, sha256 }]) => [file, bytes, sha256]),
  ];
  return sha256(JSON.stringify(identity)).slice(0, 16);
}

/**
 * Reads a snapshot's manifest and checks its schema. `loadSnapshot` checks what it declares.
 *
 * @throws SnapshotFaultError naming the field
 */
export async function readManifest(directory: string): Promise<Manifest> {
  const snapshot = path.basename(directory);
  const value = parse(snapshot, await readText(snapshot, path.join(directory, MANIFEST)));
  const version = (value as { formatVersion?: unknown } | null)?.formatVersion;
  if (version !== FORMAT_VERSION) {
    const advice = 'index the feed again with this version of Adjacent';
    throw new SnapshotFaultError(
      snapshot,
      'formatVersion',
      `is ${String(version)}, expected ${FORMAT_VERSION}; ${advice}`,
    );
  }
  const checked = checkManifest(value);
  if (checked.ok) return checked.value;
  const [fault] = checked.faults;
  throw new SnapshotFaultError(snapshot, fault?.field || MANIFEST, fault?.message ?? 'is not a manifest');
}

async function readText(snapshot: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw readFault(snapshot, MANIFEST, error);
  }
}

function parse(snapshot: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SnapshotFaultError(snapshot, MANIFEST, 'is not valid JSON; it may be cut short');
  }
}

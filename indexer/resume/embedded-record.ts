import { createHash } from 'node:crypto';
import type { ExpectedEncoder } from '../../models/snapshot/stored-creatives.js';

/*
 * A record is the SHA-256 of a creative's text, its vector (32-bit floats in the machine's byte order, as in
 * `vectors.f32`) and a checksum. All records of an encoder have one length, so a damaged one does not hide those that
 * follow.
 */

const DIGEST_BYTES = 32;
const CHECKSUM_BYTES = 8;

/** Returns the length of a record in bytes. */
export function recordBytes({ dims }: ExpectedEncoder): number {
  return DIGEST_BYTES + dims * Float32Array.BYTES_PER_ELEMENT + CHECKSUM_BYTES;
}

/** Returns the key of a text's record. */
export function recordKey(text: string): string {
  return createHash('sha256').update(text).digest().toString('latin1');
}

/** Returns the key of the text that a record is about. Says nothing about whether the record is whole. */
export function keyOf(record: Buffer): string {
  return record.toString('latin1', 0, DIGEST_BYTES);
}

export function encodeRecord(encoder: ExpectedEncoder, text: string, vector: Float32Array): Buffer {
  const record = Buffer.alloc(recordBytes(encoder));
  record.write(recordKey(text), 'latin1');
  record.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), DIGEST_BYTES);
  record.set(checksumOf(encoder, record), record.length - CHECKSUM_BYTES);
  return record;
}

/** Returns a record's vector; null if the record is damaged or was made by another encoder. */
export function decodeRecord(encoder: ExpectedEncoder, record: Buffer): Float32Array | null {
  const end = record.length - CHECKSUM_BYTES;
  if (!record.subarray(end).equals(checksumOf(encoder, record))) return null;
  const vector = new Float32Array(encoder.dims);
  new Uint8Array(vector.buffer).set(record.subarray(DIGEST_BYTES, end));
  return vector;
}

/** Covers the encoder's fingerprint, so a record that ends up in another encoder's file is not used. */
function checksumOf({ fingerprint }: ExpectedEncoder, record: Buffer): Buffer {
  const covered = record.subarray(0, record.length - CHECKSUM_BYTES);
  return createHash('sha256').update(fingerprint).update(covered).digest().subarray(0, CHECKSUM_BYTES);
}

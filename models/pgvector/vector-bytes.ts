const HEADER = 4;

/** Encodes a vector in PostgreSQL's binary format for it: pgvector's `vector_recv`, big-endian. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(HEADER + vector.length * Float32Array.BYTES_PER_ELEMENT);
  bytes.writeUInt16BE(vector.length, 0);
  for (let at = 0; at < vector.length; at++) {
    bytes.writeFloatBE(vector[at]!, HEADER + at * Float32Array.BYTES_PER_ELEMENT);
  }
  return bytes;
}

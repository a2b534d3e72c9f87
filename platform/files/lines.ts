import { open, type FileHandle } from 'node:fs/promises';

/** A line of a file, without its newline. */
export interface Line {
  readonly text: string;
  /** The byte offset at which it begins. */
  readonly begin: number;
  /** The byte offset after its newline. */
  readonly end: number;
}

const NEWLINE = 10;
const BLOCK_BYTES = 65_536;

/**
 * Yields a file's lines from last to first. Reads block by block, and no more blocks than are used. A last line without
 * a newline counts as a line. Yields nothing if there is no such file.
 *
 * @param before the byte offset before which to start
 */
export async function* linesBackwards(file: string, before = Infinity): AsyncGenerator<Line> {
  const handle = await openIfExists(file);
  if (handle === null) return;
  try {
    let offset = Math.min((await handle.stat()).size, before);
    /** What has been read of a line that begins further back. */
    let parts: Buffer[] = [];
    while (offset > 0) {
      const from = Math.max(0, offset - BLOCK_BYTES);
      const block = await readBlock(handle, from, offset);
      let rest = block.length;
      for (let newline; (newline = rest === 0 ? -1 : block.lastIndexOf(NEWLINE, rest - 1)) >= 0; rest = newline) {
        yield* lineOf([block.subarray(newline + 1, rest), ...parts], from + newline + 1);
        parts = [];
      }
      parts.unshift(block.subarray(0, rest));
      offset = from;
    }
    yield* lineOf(parts, 0);
  } finally {
    await handle.close();
  }
}

/**
 * Yields the lines after a byte offset, block by block, up to the last newline; a later call reads the rest. If the
 * file has become shorter, yields all its lines. Yields nothing if there is no such file.
 */
export async function* linesFrom(file: string, after: number): AsyncGenerator<Line> {
  const handle = await openIfExists(file);
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    let begin = size < after ? 0 : after;
    let parts: Buffer[] = [];
    for (let offset = begin; offset < size; offset += BLOCK_BYTES) {
      const block = await readBlock(handle, offset, Math.min(size, offset + BLOCK_BYTES));
      let rest = 0;
      for (let newline; (newline = block.indexOf(NEWLINE, rest)) >= 0; rest = newline + 1) {
        yield* lineOf([...parts, block.subarray(rest, newline)], begin);
        [parts, begin] = [[], offset + newline + 1];
      }
      parts.push(block.subarray(rest));
    }
  } finally {
    await handle.close();
  }
}

/** Yields a line unless it is empty. */
function* lineOf(parts: readonly Buffer[], begin: number): Generator<Line> {
  const bytes = Buffer.concat(parts);
  if (bytes.length > 0) yield { text: bytes.toString('utf8'), begin, end: begin + bytes.length + 1 };
}

async function openIfExists(file: string): Promise<FileHandle | null> {
  return open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function readBlock(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}

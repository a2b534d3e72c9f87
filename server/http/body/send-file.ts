import { type FileHandle, open } from 'node:fs/promises';
import type { ParameterizedContext } from 'koa';

export interface SendFileOptions {
  readonly cacheControl: string;
  /** ETag for files named by their content; by default it is made of the file's size and time. */
  readonly etag?: string;
  /** Whether `PATH.br` and `PATH.gz` may exist beside the file. */
  readonly precompressed?: boolean;
}

/**
 * Sends a file, or 304 when the client has it. The caller must validate the path: no unchecked client input may reach
 * it.
 *
 * @returns false when there is no such file; nothing is sent then
 */
export async function sendFile(ctx: ParameterizedContext, path: string, options: SendFileOptions): Promise<boolean> {
  const found = await openBest(ctx, path, options.precompressed === true);
  if (found === undefined) return false;
  const { file, encoding, size, modified } = found;
  ctx.status = 200;
  ctx.set('Cache-Control', options.cacheControl);
  if (options.precompressed === true) ctx.vary('Accept-Encoding');
  if (encoding !== '') ctx.set('Content-Encoding', encoding);
  ctx.etag = `${options.etag ?? `${size.toString(36)}-${modified.toString(36)}`}${encoding && `-${encoding}`}`;
  if (ctx.fresh || ctx.method === 'HEAD') {
    await file.close();
    if (ctx.fresh) ctx.status = 304;
    else ctx.length = size;
    return true;
  }
  // The stream closes the file, even when the client disconnects.
  ctx.body = file.createReadStream();
  ctx.length = size;
  return true;
}

interface OpenedFile {
  readonly file: FileHandle;
  readonly encoding: '' | 'br' | 'gzip';
  readonly size: number;
  readonly modified: number;
}

async function openBest(
  ctx: ParameterizedContext,
  path: string,
  precompressed: boolean,
): Promise<OpenedFile | undefined> {
  if (precompressed) {
    for (const [encoding, suffix] of ENCODINGS) {
      if (ctx.acceptsEncodings(encoding, 'identity') !== encoding) continue;
      const found = await openFile(path + suffix, encoding);
      if (found !== undefined) return found;
    }
  }
  return openFile(path, '');
}

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

async function openFile(path: string, encoding: OpenedFile['encoding']): Promise<OpenedFile | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isFile()) return { file, encoding, size: stats.size, modified: Math.floor(stats.mtimeMs) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') throw error;
  }
  await file?.close();
  return undefined;
}

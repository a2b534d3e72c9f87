import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { imageRulesFault } from './image-rules.js';

/** Ads are small; a larger file slows down the chat that shows it. */
const MAX_IMAGE_BYTES = 1_000_000;

/** Faults of images by digest, null for usable ones: many rows may name one image, and decoding is slow. */
export type ImageFaults = Map<string, string | null>;

/** A usable image: its path, and its content-addressed name, `<sha256>.<ext>`. */
export interface ImageFile {
  readonly source: string;
  readonly name: string;
}

/**
 * Checks the image that a row names. Its bytes determine its type, not its name, and it must decode. Symbolic links are
 * followed, and must not lead out of the feed's folder.
 *
 * @param checked names of images that have passed before and are not decoded again
 * @param seen what this feed's other rows have found, to which this one adds
 * @returns the image, or what is wrong with it
 */
export async function checkImage(
  folder: string,
  image: string,
  checked: ReadonlySet<string> = new Set(),
  seen: ImageFaults = new Map(),
): Promise<ImageFile | string> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(image)) return 'must be a path relative to the feed, not an address';
  if (path.isAbsolute(image)) return 'must be a path relative to the feed';
  const source = path.resolve(folder, image);
  if (!isInside(folder, source)) return "must stay inside the feed's folder";
  try {
    if (!isInside(await realpath(folder), await realpath(source))) return "must stay inside the feed's folder";
    const file = await stat(source);
    // Reading a pipe would block.
    if (!file.isFile() && !file.isDirectory()) return 'is not a file';
    const { size } = file;
    if (size > MAX_IMAGE_BYTES) return `is ${size.toLocaleString('en')} bytes; at most 1 MB is allowed`;
    const bytes = await readFile(source);
    const extension = imageType(bytes);
    if (extension === null) return 'is not a PNG, JPEG, WebP, GIF or AVIF image';
    const digest = createHash('sha256').update(bytes).digest('hex');
    const name = `${digest}.${extension}`;
    if (checked.has(name)) return { source, name };
    const fault = seen.has(digest) ? seen.get(digest)! : await imageRulesFault(bytes);
    seen.set(digest, fault);
    return fault ?? { source, name };
  } catch (error) {
    return readFault(error as NodeJS.ErrnoException, image);
  }
}

function isInside(folder: string, file: string): boolean {
  const relativePath = path.relative(folder, file);
  return (
    relativePath !== '' &&
    relativePath !== '..' &&
    !relativePath.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relativePath)
  );
}

/** Returns the type, by the bytes that each format begins with. */
function imageType(bytes: Buffer): 'png' | 'jpg' | 'webp' | 'gif' | 'avif' | null {
  const ascii = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (ascii(0, 3) === '\xff\xd8\xff') return 'jpg';
  if (ascii(0, 6) === 'GIF87a' || ascii(0, 6) === 'GIF89a') return 'gif';
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return 'webp';
  if (ascii(4, 8) === 'ftyp' && /avif|avis/.test(ascii(8, 40))) return 'avif';
  return null;
}

function readFault({ code, message }: NodeJS.ErrnoException, image: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `file “${image}” does not exist`;
  if (code === 'EISDIR') return `“${image}” is a folder, not an image`;
  return `“${image}” cannot be read (${code ?? message})`;
}

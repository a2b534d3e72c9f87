import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { replaceDurably, syncPath } from '../../platform/files/durable.js';
import { sha256 } from '../../platform/text/sha256.js';
import { layoutOf } from './layout.js';

/**
 * Copies an image to the directory that the server reads, named by its content.
 *
 * @param name `<sha256>.<ext>`, as determined when the feed was checked
 * @throws Error when the file has changed since
 */
export async function storeImage(dataDir: string, source: string, name: string): Promise<void> {
  const { images } = layoutOf(dataDir);
  const target = path.join(images, name);
  const bytes = await readFile(source);
  if (sha256(bytes) !== path.parse(name).name) {
    throw new Error(`${source} changed while the feed was read; index it again`);
  }
  const stored = await stat(target).catch(() => null);
  if (stored?.size === bytes.length) return;
  await mkdir(images, { recursive: true });
  await replaceDurably(target, bytes);
  await syncPath(images);
}

/** Returns the names of the stored images. */
export async function listImages(dataDir: string): Promise<readonly string[]> {
  const { images } = layoutOf(dataDir);
  await mkdir(images, { recursive: true });
  return (await readdir(images)).filter((name) => !name.endsWith('.tmp'));
}

export async function removeImage(dataDir: string, name: string): Promise<void> {
  await rm(path.join(layoutOf(dataDir).images, name), { force: true });
}

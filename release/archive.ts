import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Packs a directory such that the same content gives the same bytes: sorted by name, with owner 0, all files with the
 * same time.
 *
 * @param seconds the time of every file, in epoch seconds
 * @returns the tarball's path
 * @throws Error if tar is not GNU tar, or fails
 */
export async function archive(folder: string, tarball: string, seconds: number): Promise<string> {
  const args = [
    '--sort=name',
    '--format=gnu',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=@${seconds}`,
    '-C',
    path.dirname(folder),
    '-cf',
    '-',
    path.basename(folder),
  ];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LC_ALL: 'C' } });
  const ended = once(tar, 'exit') as Promise<[number | null]>;
  await pipeline(tar.stdout, createGzip({ level: 6 }), createWriteStream(tarball));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}; a release needs GNU tar`);
  return tarball;
}

/** Writes checksums in the format of `sha256sum --check`. */
export async function writeChecksums(file: string, files: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const each of files) lines.push(`${await sha256(each)}  ${path.basename(each)}\n`);
  writeFileSync(file, lines.join(''));
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

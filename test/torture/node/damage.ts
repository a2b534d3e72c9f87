import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import type { Chance } from '../calls/chance.js';

export interface Damage {
  mend(): void;
}

/** Truncates a file, or changes one byte of it. */
export function damage(file: string, chance: Chance): Damage {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    // A file that does not exist yet cannot be damaged.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { mend: () => undefined };
    throw error;
  }
  if (chance.happens(0.5)) truncateSync(file, Math.floor(chance.between(0, bytes.length)));
  else {
    const changed = Buffer.from(bytes);
    const at = chance.whole(0, bytes.length - 1);
    changed[at] = changed[at]! ^ 0xff;
    writeFileSync(file, changed);
  }
  return {
    mend() {
      writeFileSync(`${file}.mended`, bytes, { mode: 0o600 });
      renameSync(`${file}.mended`, file);
    },
  };
}

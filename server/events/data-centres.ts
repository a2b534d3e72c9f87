import { readFile } from 'node:fs/promises';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import { DamagedStoreError } from '../stores/shared-store.js';
import { readAddressRanges, type AddressRanges } from './address-ranges.js';

/** The data centres' addresses of a file, followed as it changes. */
export interface DataCentres extends AddressRanges {
  close(): Promise<void>;
}

export interface DataCentresOptions {
  /** A list as `readAddressRanges` takes it. */
  readonly file: string;
  readonly log: FollowLog;
  /** How often the file is looked at, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * A file that is gone or damaged later is logged, and what was read last stays in force.
 *
 * @throws DamagedStoreError when it cannot be read at the start
 */
export async function openDataCentres({ file, log, pollMs = 1000 }: DataCentresOptions): Promise<DataCentres> {
  const read = async (): Promise<AddressRanges> => {
    try {
      return readAddressRanges(await readFile(file, 'utf8'));
    } catch (error) {
      throw new DamagedStoreError(file, error);
    }
  };
  const followed = await followStore({ store: { path: file, read }, log, name: 'data centres', pollMs });
  return {
    has: (address) => followed.current.has(address),
    close: () => followed.close(),
  };
}

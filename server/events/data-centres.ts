import { readFile } from 'node:fs/promises';
import { fileStamp } from '../stores/file-stamp.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import { DamagedStoreError } from '../stores/shared-store.js';
import { readAddressRanges, type AddressRanges } from './address-ranges.js';

/** The data-centre addresses of a file, which is followed as it changes. */
export interface DataCentres extends AddressRanges {
  close(): Promise<void>;
}

export interface DataCentresOptions {
  /** A list in the format of `readAddressRanges`. */
  readonly file: string;
  readonly log: FollowLog;
  /** Poll interval of the file, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * Opens and follows the file. If it later disappears or is damaged, this is logged and the ranges last read stay in
 * force.
 *
 * @throws DamagedStoreError when the file cannot be read at the start
 */
export async function openDataCentres({ file, log, pollMs = 1000 }: DataCentresOptions): Promise<DataCentres> {
  const read = async (): Promise<AddressRanges> => {
    try {
      return readAddressRanges(await readFile(file, 'utf8'));
    } catch (error) {
      throw new DamagedStoreError(file, error);
    }
  };
  const store = { path: file, stamp: () => fileStamp(file), read };
  const followed = await followStore({ store, log, name: 'data centres', pollMs });
  return {
    has: (address) => followed.current.has(address),
    close: () => followed.close(),
  };
}

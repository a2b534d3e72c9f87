import { keyStore, publisherNames, defaultSettings } from '../../keys/key-file.js';
import type { Publisher } from '../../domain/publisher.js';
import { UsageError } from './run-command.js';
import { suggestNames } from '../../domain/names.js';
import { printable } from '../../domain/printable.js';

/** A publisher with what it has set; without a name, one that has set nothing. @throws UsageError when there is no such */
export async function findPublisher(name: string | undefined, dataDir: string): Promise<Publisher> {
  if (name === undefined) return { ...defaultSettings('nobody'), test: false };
  const file = await keyStore(dataDir).read();
  const settings = file.publishers.find((publisher) => publisher.name === name);
  if (settings !== undefined) return { ...settings, test: false };
  const known = publisherNames(file);
  if (known.includes(name)) return { ...defaultSettings(name), test: false };
  throw new UsageError(`there is no publisher "${printable(name)}"; ${suggestNames(name, known)}`);
}

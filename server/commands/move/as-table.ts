import Table from 'cli-table3';
import { type Compared, isEqual } from '../../move/compare.js';

/** Formats the comparison line by line: digests are shortened, except where the two sides differ. */
export function asTable(compared: readonly Compared[]): string {
  const table = new Table({
    head: ['', 'in DATA_DIR', 'in the database'],
    style: { head: [], border: [], compact: true },
  });
  for (const each of compared) {
    const { what, dataDir, database } = each;
    table.push(isEqual(each) ? [what, shortened(dataDir), 'equal'] : [what, whole(dataDir), whole(database)]);
  }
  return `${table.toString()}\n`;
}

function shortened(measured: string | null): string {
  return (measured ?? '').replace(/(sha256 [0-9a-f]{12})[0-9a-f]+/, '$1…');
}

function whole(measured: string | null): string {
  return (measured ?? 'missing').replace(', sha256 ', '\nsha256 ');
}

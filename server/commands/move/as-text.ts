import Table from 'cli-table3';
import { type Compared, isEqual } from '../../move/compare.js';

/** What was compared, line by line: digests by their first characters, and whole where the two differ. */
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
  return (measured ?? 'not there').replace(', sha256 ', '\nsha256 ');
}

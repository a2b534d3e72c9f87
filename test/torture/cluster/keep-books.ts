import { sql } from '#kysely';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openForReading } from '../../../server/ledger/database.js';
import { queries } from '../../../server/ledger/tables/ledger-database.js';
import type { Books } from '../calls/books.js';

/**
 * Writes files for the analysis of a difference: all differences, the events in the ledger, and the events in the
 * books.
 */
export function keepBooks(folder: string, databaseUrl: string, books: Books, differences: readonly string[]): void {
  writeLines(join(folder, 'differences.jsonl'), differences);
  const database = openForReading({ url: databaseUrl });
  try {
    const stored = queries
      .selectFrom('events')
      .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'events.dimension_set')
      .select([database.sql.hex(sql`id`).as('digest'), 'kind', 'at', 'creative', 'price_micros', 'reason', 'month']);
    writeLines(join(folder, 'ledger.jsonl'), database.readAsNumbers(stored));
    writeLines(join(folder, 'books.jsonl'), books.events.values());
  } finally {
    database.close();
  }
}

function writeLines(file: string, values: Iterable<unknown>): void {
  writeFileSync(file, [...values].map((value) => `${JSON.stringify(value)}\n`).join(''));
}

import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns a valid feed row. */
export function feedRow(id: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    name: `Shop ${id}`,
    text: `Everything about ${id}.`,
    landingUrl: `https://shop.example/${id}`,
    ...fields,
  };
}

/** Returns rows with different texts. */
export function feedRows(count: number, prefix = 'item'): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) => feedRow(`${prefix}-${at}`));
}

/** Writes a feed as JSON Lines. */
export function writeFeed(folder: string, rows: readonly unknown[], name = 'feed.jsonl'): string {
  const file = path.join(folder, name);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

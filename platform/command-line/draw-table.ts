import Table, { type TableConstructorOptions } from 'cli-table3';

/** A row of a table, one cell per column; a text may have several lines. */
export type TableRow = readonly (string | number)[];

/** The library compares each cell with all rows above it: 20,000 rows in one piece take minutes. */
const PIECE = 100;

/**
 * Draws a table for a terminal, with a head of one line.
 *
 * @param compact no lines between rows
 */
export function drawTable({ head, colAligns, compact = true }: DrawTableOptions, rows: readonly TableRow[]): string {
  const style = { head: [], border: [], compact };
  const options = { head: [...head], style, ...(colAligns && { colAligns: [...colAligns] }) };
  const pieces = Array.from({ length: Math.ceil(rows.length / PIECE) }, (_, at) =>
    rows.slice(at * PIECE, (at + 1) * PIECE),
  );
  if (pieces.length < 2) return drawPiece(options, rows);
  const widths = pieces.map((piece) => columnWidths(drawPiece(options, piece)));
  const colWidths = head.map((_, column) => Math.max(...widths.map((each) => each[column] ?? 0)));
  const lines = pieces.flatMap((piece, at) => {
    const drawn = drawPiece({ ...options, colWidths }, piece).split('\n');
    // Above its rows, a piece has a border, the head and a line; below, a border.
    return drawn.slice(at === 0 ? 0 : compact ? 3 : 2, at === pieces.length - 1 ? undefined : -1);
  });
  return lines.join('\n');
}

export interface DrawTableOptions {
  readonly head: readonly string[];
  readonly colAligns?: readonly ('left' | 'right')[];
  readonly compact?: boolean;
}

function drawPiece(options: TableConstructorOptions, rows: readonly TableRow[]): string {
  const table = new Table(options);
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** Reads the widths of the columns, with their padding, from the upper border. */
function columnWidths(drawn: string): number[] {
  return drawn
    .slice(1, drawn.indexOf('\n') - 1)
    .split('┬')
    .map((part) => part.length);
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { writeDurably } from '../files/durable.js';

/** What a database says of an installation that is moved into it, or was moved away from it. */
export interface MoveMark {
  readonly direction: 'here' | 'away';
  /** The other place: the id of a DATA_DIR (`moveIdOf`). */
  readonly id: string;
  /** Where that is, for people. */
  readonly directory: string;
  /** RFC 3339; null: the move is under way, or broke off. */
  readonly finished: string | null;
}

/** The file of a DATA_DIR that takes part in a move. */
const FILE = 'move-id';
/** The row of the shared parts. */
const ROW = 'move';

/** Names a DATA_DIR by what lies in it, since a container is another machine at every start. Made by the first move. */
export async function moveIdOf(dataDir: string): Promise<string> {
  const file = path.join(dataDir, FILE);
  await writeDurably(file, `${randomUUID()}\n`, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(file, 'utf8')).trim();
}

export async function readMoveMark(connection: pg.ClientBase): Promise<MoveMark | null> {
  const { rows } = await connection.query<{ content: string }>('select content from shared_parts where name = $1', [
    ROW,
  ]);
  return rows[0] === undefined ? null : (JSON.parse(rows[0].content) as MoveMark);
}

export async function writeMoveMark(connection: pg.ClientBase, mark: MoveMark): Promise<void> {
  await connection.query(
    `insert into shared_parts (name, kind, content) values ($1, 'list', $2)
     on conflict (name) do update set content = excluded.content`,
    [ROW, JSON.stringify(mark)],
  );
}

/**
 * Refuses a database that has only a part of an installation, or one that is served elsewhere by now.
 *
 * @param movedTo the id of the DATA_DIR that asks: a move into it that broke off may go on
 * @throws Error that says what to do
 */
export function refuseMoved(mark: MoveMark | null, movedTo?: string): void {
  if (mark === null || (mark.direction === 'away' && mark.id === movedTo)) return;
  if (mark.direction === 'away') {
    throw new Error(
      `the installation in this database was moved to ${mark.directory} (${mark.finished}) and is served from there: ` +
        'move it back with npm run move -- --to, into an empty database',
    );
  }
  if (mark.finished !== null) return;
  throw new Error(
    `the move of ${mark.directory} into this database is not finished: run npm run move -- --to again, ` +
      'or give it up with "drop schema adjacent cascade"',
  );
}

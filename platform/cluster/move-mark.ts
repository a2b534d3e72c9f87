import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { createDurably } from '../files/durable.js';

/** A database's record of an installation that is being moved, or was moved, into or out of it. */
export interface MoveMark {
  readonly direction: 'here' | 'away';
  /** The id of the DATA_DIR at the other end of the move (`moveIdOf`). */
  readonly id: string;
  /** The path of that DATA_DIR, for messages. */
  readonly directory: string;
  /** RFC 3339; null: the move is in progress, or was interrupted. */
  readonly finished: string | null;
}

/** The file that identifies a DATA_DIR that takes part in a move. */
const FILE = 'move-id';
/** The row's name in `shared_parts`. */
const ROW = 'move';

/**
 * Returns the id of a DATA_DIR, which is stored in it because a container is a different machine at every start. The
 * first move creates it.
 */
export async function moveIdOf(dataDir: string): Promise<string> {
  const file = path.join(dataDir, FILE);
  await createDurably(file, `${randomUUID()}\n`, 0o600);
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
 * Refuses a database that holds only a part of an installation, or whose installation is now served from elsewhere.
 *
 * @param movedTo the id of the DATA_DIR that asks: an interrupted move into it may continue
 * @throws Error stating what to do
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

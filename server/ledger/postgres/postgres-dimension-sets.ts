import type { NameRow } from '../tables/dimension-sets.js';
import { columnsOf, type PostgresConnection } from './postgres-connection.js';

/**
 * Finds or creates the ids of dimension sets, in separate transactions. They stay even if the batch fails; so no batch
 * waits for the names of another one.
 */
export function idsOf(connection: PostgresConnection, rows: readonly NameRow[]): number[] {
  const keys = rows.map((row) => JSON.stringify(row));
  const wanted = [...new Map(rows.map((row, position) => [keys[position]!, row])).values()];
  const ids = new Map<string, number>();
  for (let tries = 0; tries < 2 && ids.size < wanted.length; tries++) {
    const missing = wanted.filter((row) => !ids.has(JSON.stringify(row)));
    if (tries > 0) connection.send([{ text: ADD_NAMES, values: columnsOf(missing, 5) }], false);
    const [found] = connection.send([{ text: FIND_NAMES, values: columnsOf(missing, 5) }], false);
    for (const [id, ...names] of found!.rows) ids.set(JSON.stringify(names), id as number);
  }
  return keys.map((key) => {
    const id = ids.get(key);
    if (id === undefined) throw new Error(`dimension_sets has no row for the names ${key}, which were just added`);
    return id;
  });
}

const NAMES = 'publisher, advertiser, campaign, creative, test';
const WANTED = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::smallint[]) as wanted (${NAMES})`;
const FIND_NAMES = `
  select dimension_set, ${NAMES.split(', ')
    .map((name) => `d.${name}`)
    .join()} from ${WANTED}
  join dimension_sets d on names_digest(d.publisher, d.advertiser, d.campaign, d.creative, d.test)
    = names_digest(wanted.publisher, wanted.advertiser, wanted.campaign, wanted.creative, wanted.test)`;
const ADD_NAMES = `
  insert into dimension_sets (${NAMES}) select ${NAMES} from ${WANTED} order by ${NAMES} on conflict do nothing`;

import type { Database, Statement } from 'better-sqlite3';
import { sql, type Compilable } from 'kysely';
import { queries } from './database.js';

type Name =
  | 'addDimensionSet'
  | 'findDimensionSet'
  | 'findShown'
  | 'addEvent'
  | 'addToCounter'
  | 'addToBilled'
  | 'findClosed'
  | 'findIssuedFrom'
  | 'moveClock';

export type Statements = Readonly<Record<Name, Statement>>;

/** The statements of the hot path, each prepared once. Values come in the order in which the columns stand below. */
export function prepareStatements(database: Database): Statements {
  const prepare = (query: Compilable): Statement => database.prepare(query.compile().sql);
  return {
    addDimensionSet: prepare(addDimensionSet),
    findDimensionSet: prepare(findDimensionSet),
    findShown: prepare(findShown),
    addEvent: prepare(addEvent),
    addToCounter: prepare(addToCounter),
    addToBilled: prepare(addToBilled),
    findClosed: prepare(findClosed),
    findIssuedFrom: prepare(findIssuedFrom),
    moveClock: prepare(moveClock),
  };
}

// Kysely builds from values; these stand for whatever a batch brings and are not used.
const names = { publisher: '', advertiser: '', campaign: '', creative: '', test: 0 };
const event = {
  id: Buffer.alloc(0),
  kind: 'click',
  at: 0,
  dimension_set: 0,
  price_micros: 0,
  reason: '',
  month: 0,
} as const;
const counter = {
  grain: 'day',
  start: 0,
  dimension_set: 0,
  counted: 'click',
  reason: '',
  times: 0,
  micros: 0,
} as const;
const bill = { month: 0, day: 0, dimension_set: 0, kind: 'click', price_micros: 0, times: 0 } as const;

const addDimensionSet = queries
  .insertInto('dimension_sets')
  .values(names)
  .onConflict((conflict) => conflict.doNothing());

const findDimensionSet = queries
  .selectFrom('dimension_sets')
  .select('dimension_set')
  .where('publisher', '=', names.publisher)
  .where('advertiser', '=', names.advertiser)
  .where('campaign', '=', names.campaign)
  .where('creative', '=', names.creative)
  .where('test', '=', names.test);

/** A row when a request id's impression is stored. */
const findShown = queries
  .selectFrom('events')
  .select('at')
  .where('id', '=', event.id)
  .where('kind', '=', sql.lit('impression' as const));

/** Adds nothing when the (request id, kind) is there already: the exactly-once rule. */
const addEvent = queries
  .insertInto('events')
  .values(event)
  .onConflict((conflict) => conflict.columns(['id', 'kind']).doNothing());

const addToCounter = queries
  .insertInto('counters')
  .values(counter)
  .onConflict((conflict) =>
    conflict.columns(['grain', 'start', 'dimension_set', 'counted', 'reason']).doUpdateSet((build) => ({
      times: build('counters.times', '+', build.ref('excluded.times')),
      micros: build('counters.micros', '+', build.ref('excluded.micros')),
    })),
  );

const addToBilled = queries
  .insertInto('billed')
  .values(bill)
  .onConflict((conflict) =>
    conflict.columns(['month', 'day', 'dimension_set', 'kind', 'price_micros']).doUpdateSet((build) => ({
      times: build('billed.times', '+', build.ref('excluded.times')),
    })),
  );

const findClosed = queries
  .selectFrom('closed_months')
  .select('closed_at')
  .where('advertiser', '=', '')
  .where('month', '=', 0);

/** As `readIssuedFrom`: `issued_from` sorts before `kept_from`, which stands for it where there is none. */
const findIssuedFrom = queries
  .selectFrom('installation')
  .select('value')
  .where('name', 'in', [sql.lit('issued_from'), sql.lit('kept_from')])
  .orderBy('name')
  .limit(sql.lit(1));

/** Never back: of several processes, each has a mark of its own. */
const moveClock = queries
  .insertInto('installation')
  .values({ name: sql.lit('clock'), value: '' })
  .onConflict((conflict) =>
    conflict
      .column('name')
      .doUpdateSet((build) => ({ value: build.ref('excluded.value') }))
      .where(sql<boolean>`cast(excluded.value as integer) > cast(installation.value as integer)`),
  );

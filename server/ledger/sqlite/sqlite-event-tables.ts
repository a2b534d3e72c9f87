import type { Database, Statement } from 'better-sqlite3';
import { sql, type Compilable } from '#kysely';
import type { EventTables } from '../tables/event-tables.js';
import { createDimensionSetIds } from '../tables/dimension-sets.js';
import { queries } from '../tables/ledger-database.js';

/**
 * The hot path in SQLite. A writer excludes all others, so statements can read and write directly; each is prepared
 * once.
 */
export function createSqliteEventTables(file: Database): EventTables {
  const statements = prepareStatements(file);
  const dimensionSets = createDimensionSetIds((wanted) =>
    wanted.map((names) => {
      statements.addDimensionSet.run(...names);
      return (statements.findDimensionSet.get(...names) as { dimension_set: number }).dimension_set;
    }),
  );
  const perform = file.transaction((count: () => unknown) => count());
  return {
    dimensionSets,
    write: <T>(_: unknown, count: () => T) => perform.immediate(count) as T,
    issuedFrom: () => Number((statements.findIssuedFrom.get() as { value: string } | undefined)?.value ?? 0),
    isClosed: (advertiser, month) => statements.findClosed.get(advertiser, month) !== undefined,
    shownAt: (id) => (statements.findShown.get(Buffer.from(id, 'hex')) as { at: number } | undefined)?.at,
    // Only one server counts in this file, by its own clock.
    shownForMs: () => Infinity,
    spent({ advertiser, campaign, creative }, day) {
      const row = statements.findSpend.get(day, advertiser, campaign, creative) as { micros: number } | undefined;
      return row?.micros ?? 0;
    },
    addEvent({ id, kind, at, dimensionSet, priceMicros, reason, month }) {
      const row = [Buffer.from(id, 'hex'), kind, at, dimensionSet, priceMicros, reason, month];
      return statements.addEvent.run(...row).changes === 1;
    },
    addSums({ counters, billed, spend }) {
      for (const cell of counters) statements.addToCounter.run(...cell);
      for (const cell of billed) statements.addToBilled.run(...cell);
      for (const { day, advertiser, campaign, creative, charged } of spend) {
        statements.addToSpend.run(day, advertiser, campaign, creative, charged);
      }
    },
    moveClock: (mark) => void statements.moveClock.run(String(mark)),
  };
}

type Name =
  | 'addDimensionSet'
  | 'findDimensionSet'
  | 'findShown'
  | 'addEvent'
  | 'addToCounter'
  | 'addToBilled'
  | 'addToSpend'
  | 'findSpend'
  | 'findClosed'
  | 'findIssuedFrom'
  | 'moveClock';

type Statements = Readonly<Record<Name, Statement>>;

/** Values are bound in the order of the columns below. */
function prepareStatements(file: Database): Statements {
  const prepare = (query: Compilable): Statement => file.prepare(query.compile().sql);
  return {
    addDimensionSet: prepare(addDimensionSet),
    findDimensionSet: prepare(findDimensionSet),
    findShown: prepare(findShown),
    addEvent: prepare(addEvent),
    addToCounter: prepare(addToCounter),
    addToBilled: prepare(addToBilled),
    addToSpend: prepare(addToSpend),
    findSpend: prepare(findSpend),
    findClosed: prepare(findClosed),
    findIssuedFrom: prepare(findIssuedFrom),
    moveClock: prepare(moveClock),
  };
}

// Kysely builds queries from values. These are placeholders; each batch binds its own.
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

/** Finds the stored impression of a request id. */
const findShown = queries
  .selectFrom('events')
  .select('at')
  .where('id', '=', event.id)
  .where('kind', '=', sql.lit('impression' as const));

/** Adds nothing when the (request id, kind) is stored already: the exactly-once rule. */
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

const findSpend = queries
  .selectFrom('spend')
  .select('micros')
  .where('day', '=', 0)
  .where('advertiser', '=', '')
  .where('campaign', '=', '')
  .where('creative', '=', '');

const addToSpend = queries
  .insertInto('spend')
  .values({ day: 0, advertiser: '', campaign: '', creative: '', micros: 0 })
  .onConflict((conflict) =>
    conflict.columns(['day', 'advertiser', 'campaign', 'creative']).doUpdateSet((build) => ({
      micros: build('spend.micros', '+', build.ref('excluded.micros')),
    })),
  );

const findClosed = queries
  .selectFrom('closed_months')
  .select('closed_at')
  .where('advertiser', '=', '')
  .where('month', '=', 0);

/** The same as `readIssuedFrom`: `issued_from` sorts before `kept_from`, which replaces it if it is missing. */
const findIssuedFrom = queries
  .selectFrom('installation')
  .select('value')
  .where('name', 'in', [sql.lit('issued_from'), sql.lit('kept_from')])
  .orderBy('name')
  .limit(sql.lit(1));

/** Moves the mark forward only: several processes each have their own mark. */
const moveClock = queries
  .insertInto('installation')
  .values({ name: sql.lit('clock'), value: '' })
  .onConflict((conflict) =>
    conflict
      .column('name')
      .doUpdateSet((build) => ({ value: build.ref('excluded.value') }))
      .where(sql<boolean>`cast(excluded.value as integer) > cast(installation.value as integer)`),
  );

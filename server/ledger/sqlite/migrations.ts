import { CompiledQuery, sql, type Compilable, type Kysely } from '#kysely';

/** Each step migrates the schema by one version (`PRAGMA user_version`). Released steps never change. */
export const MIGRATIONS: readonly ((db: Pick<Kysely<never>, 'schema'>) => readonly Compilable[])[] = [
  ({ schema }) => [
    schema
      .createTable('placements')
      .addColumn('placement', 'integer', (column) => column.primaryKey())
      .addColumn('publisher', 'text', (column) => column.notNull())
      .addColumn('advertiser', 'text', (column) => column.notNull())
      .addColumn('campaign', 'text', (column) => column.notNull())
      .addColumn('creative', 'text', (column) => column.notNull())
      .addColumn('test', 'integer', (column) => column.notNull())
      .addUniqueConstraint('placements_names', ['publisher', 'advertiser', 'campaign', 'creative', 'test'])
      .modifyEnd(sql`strict`),
    schema
      .createTable('events')
      .addColumn('id', 'blob', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('at', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('price_micros', 'integer', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('events_once', ['id', 'kind'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('counters')
      .addColumn('grain', 'text', (column) => column.notNull())
      .addColumn('start', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('counted', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addColumn('micros', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('counters_cell', ['grain', 'start', 'placement', 'counted', 'reason'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('installation')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .modifyEnd(sql`strict, without rowid`),
  ],
  ({ schema }) => [
    schema.alterTable('events').addColumn('month', 'integer', (column) => column.notNull().defaultTo(0)),
    schema
      .createTable('billed')
      .addColumn('month', 'integer', (column) => column.notNull())
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('price_micros', 'integer', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('billed_once', ['month', 'day', 'placement', 'kind', 'price_micros'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('closed_months')
      .addColumn('advertiser', 'text', (column) => column.notNull())
      .addColumn('month', 'integer', (column) => column.notNull())
      .addColumn('closed_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('closed_once', ['advertiser', 'month'])
      .modifyEnd(sql`strict, without rowid`),
  ],
  ({ schema }) => [
    schema
      .createTable('spend')
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('campaign', 'text', (column) => column.notNull())
      .addColumn('creative', 'text', (column) => column.notNull())
      .addColumn('micros', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('spend_account', ['day', 'campaign', 'creative'])
      .modifyEnd(sql`strict, without rowid`),
    // The sums of the counters of days, by day and in total.
    ...['start', '-1'].map((day) =>
      statement(
        `insert into spend (day, campaign, creative, micros)
         select ${day}, campaign, iif(campaign = '', creative, ''), sum(micros)
         from counters join placements using (placement) where grain = 'day' and micros > 0 group by 1, 2, 3`,
      ),
    ),
  ],
  // In ad tech a placement is a position on a page; this table holds combinations of report dimensions.
  ({ schema }) => [
    schema.alterTable('placements').renameTo('dimension_sets'),
    ...['dimension_sets', 'events', 'counters', 'billed'].map((table) =>
      schema.alterTable(table).renameColumn('placement', 'dimension_set'),
    ),
  ],
  // Closed invoices as they were sent, and events found invalid after they were counted.
  ({ schema }) => [
    schema
      .createTable('invoices')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('advertiser', 'text', (column) => column.notNull())
      .addColumn('month', 'integer', (column) => column.notNull())
      .addUniqueConstraint('invoices_once', ['advertiser', 'month'])
      .modifyEnd(sql`strict`),
    schema
      .createTable('invoice_documents')
      .addColumn('number', 'integer', (column) => column.notNull().references('invoices.number'))
      .addColumn('format', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('invoice_documents_once', ['number', 'format'])
      .modifyEnd(sql`strict`),
    schema
      .createTable('corrections')
      .addColumn('correction', 'integer', (column) => column.primaryKey())
      .addColumn('made_at', 'integer', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('rule', 'text', (column) => column.notNull())
      .modifyEnd(sql`strict`),
    schema
      .createTable('voided')
      .addColumn('id', 'blob', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('at', 'integer', (column) => column.notNull())
      .addColumn('dimension_set', 'integer', (column) => column.notNull().references('dimension_sets.dimension_set'))
      .addColumn('price_micros', 'integer', (column) => column.notNull())
      .addColumn('billed_month', 'integer', (column) => column.notNull())
      .addColumn('month', 'integer', (column) => column.notNull())
      .addColumn('correction', 'integer', (column) => column.notNull().references('corrections.correction'))
      .addPrimaryKeyConstraint('voided_once', ['id', 'kind'])
      .modifyEnd(sql`strict, without rowid`),
    schema.createIndex('voided_month').on('voided').column('month'),
    schema.createIndex('voided_correction').on('voided').column('correction'),
  ],
  // Two advertisers may have campaigns with the same name. The spend of each follows from the counters of days.
  () => [
    statement('drop table spend'),
    statement(
      `create table spend (
         day integer not null, advertiser text not null, campaign text not null, creative text not null,
         micros integer not null,
         constraint spend_account primary key (day, advertiser, campaign, creative)
       ) strict, without rowid`,
    ),
    ...['start', '-1'].map((day) =>
      statement(
        `insert into spend (day, advertiser, campaign, creative, micros)
         select ${day}, iif(campaign = '', '', advertiser), campaign, iif(campaign = '', creative, ''), sum(micros)
         from counters join dimension_sets using (dimension_set) where grain = 'day' and micros > 0 group by 1, 2, 3, 4`,
      ),
    ),
  ],
];

/** A step's SQL as text, since the tables that it names may have been renamed since. */
function statement(text: string): Compilable {
  return { compile: () => CompiledQuery.raw(text) };
}

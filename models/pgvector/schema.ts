import type { MigrationStep } from '../../platform/postgres/migration-step.js';

/** Migration steps of the module `vectors`, whose tables exist only with SEARCH=pgvector. */
export const VECTOR_STEPS: readonly MigrationStep[] = [
  {
    name: 'tables of vectors',
    sql: `
      -- Each table that was written whole, with its index: made and listed in one transaction.
      create table vector_tables (
        name text primary key, snapshot text not null, part text not null, written_at timestamptz not null default now()
      );
    `,
  },
];

import type { MigrationStep } from '../postgres/migration-step.js';

/** Tables for the data that the nodes of one installation share, except the ledger. */
export const CLUSTER_STEPS: readonly MigrationStep[] = [
  {
    name: 'parts',
    sql: `
      create table shared_parts (
        name text primary key,
        kind text not null check (kind in ('document', 'log', 'list')),
        -- Incremented with every change: shows a node whether its copy is current.
        version bigint not null default 1,
        -- The whole content of a document.
        content text,
        -- The length of a log.
        bytes bigint not null default 0
      );
      create table shared_log_entries (
        log text not null references shared_parts, begins_at bigint not null, text text not null,
        primary key (log, begins_at)
      );
      create table shared_files (path text primary key, sha256 text not null, bytes bigint not null);
      create index shared_files_sha256 on shared_files (sha256);
      create table shared_chunks (
        sha256 text not null, place integer not null, content bytea not null, primary key (sha256, place)
      );
      -- Vectors and images do not compress.
      alter table shared_chunks alter column content set storage external;
      insert into shared_parts (name, kind) values ('files', 'list');
      insert into shared_parts (name, kind, content) values ('installation', 'list', gen_random_uuid());
    `,
  },
  {
    name: 'sessions',
    sql: `
      create table admin_sessions (
        digest text primary key, form_token text not null, notice bytea,
        started_at timestamptz not null default now(), used_at timestamptz not null default now()
      );
    `,
  },
  {
    name: 'session tokens',
    // Who opened an earlier session is unknown. Nodes of the previous release go on adding sessions, which nobody finds.
    sql: `
      delete from admin_sessions;
      alter table admin_sessions add column token_id text not null default '';
    `,
  },
];

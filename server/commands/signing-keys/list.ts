import Table from 'cli-table3';
import type { SigningKey } from '../../domain/signing-key.js';
import { keyOf, type SigningKeyFile, verifyingKeys } from '../../request-id/stored-signing-keys.js';

export interface ListOptions {
  /** Keys of the SIGNING_KEYS setting. */
  readonly given: readonly SigningKey[] | null;
  /** How long a retired key verifies, in milliseconds. */
  readonly windowMs: number;
  readonly json: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Row {
  readonly id: string;
  readonly source: 'SIGNING_KEYS' | 'stored';
  readonly use: 'issues' | 'verifies' | 'kept';
  readonly createdAt: string | null;
  readonly retiredAt: string | null;
  /** Null: no end is set. */
  readonly verifiesUntil: string | null;
}

/** Formats signing keys and installation for a person (a table) or a program (one JSON object), without secrets. */
export function listSigningKeys(file: SigningKeyFile, { given, windowMs, json, now }: ListOptions): string {
  const rows = [
    ...(given ?? []).map(({ id }, at): Row => ({
      id,
      source: 'SIGNING_KEYS',
      use: at === 0 ? 'issues' : 'verifies',
      createdAt: null,
      retiredAt: null,
      verifiesUntil: null,
    })),
    ...file.keys.map((key): Row => {
      const { createdAt, retiredAt } = key;
      const verifiesUntil = retiredAt === null ? null : new Date(Date.parse(retiredAt) + windowMs).toISOString();
      const verifies = verifyingKeys([key], now, windowMs).length > 0;
      const use = !verifies ? 'kept' : given === null && retiredAt === null ? 'issues' : 'verifies';
      return { id: keyOf(key).id, source: 'stored', use, createdAt, retiredAt, verifiesUntil };
    }),
  ];
  const installation = file.installations?.find(({ leftAt }) => leftAt === null)?.id ?? null;
  if (json) return JSON.stringify({ installation, keys: rows }, null, 2);
  if (rows.length === 0) return 'no signing keys yet; the first start makes one';
  const table = new Table({
    head: ['key', 'source', 'use', 'created', 'retired', 'verifies until'],
    style: { head: [], border: [] },
  });
  table.push(
    ...rows.map(({ id, source, use, ...moments }) => [
      id,
      source,
      use,
      ...[moments.createdAt, moments.retiredAt, moments.verifiesUntil].map((moment) => moment?.slice(0, 16) ?? '-'),
    ]),
  );
  return `${table.toString()}\ninstallation ${installation ?? 'named at the first start'}`;
}

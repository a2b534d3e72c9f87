import { drawTable } from '../../../platform/command-line/draw-table.js';
import { type KeyFile, keyState, type PublisherSettings } from '../../keys/key-file.js';

/** Formats keys and publishers' settings for a person (two tables) or a program (one JSON object, without digests). */
export function listKeys(file: KeyFile, now: number, json: boolean): string {
  if (json) {
    const keys = file.keys.map((key) => ({ ...key, sha256: undefined, state: keyState(key, now) }));
    return JSON.stringify({ keys, publishers: file.publishers }, null, 2);
  }
  if (file.keys.length === 0) return 'no keys yet; npm run keys -- create --publisher NAME makes one';
  const keys = file.keys.map((key) => [
    key.id,
    key.publisher,
    key.test ? 'test' : 'live',
    key.mode ?? 'server',
    keyState(key, now),
    key.origins.join('\n') || 'any',
    key.requestsPerMinute ?? 'no limit',
    key.createdAt.slice(0, 16),
    key.expiresAt?.slice(0, 16) ?? 'never',
  ]);
  return [drawTable({ head: KEY, compact: false }, keys), publishersTable(file.publishers)].join('\n');
}

/** Formats publishers' settings for a person. */
export function publishersTable(publishers: readonly PublisherSettings[]): string {
  const rows = publishers.map((publisher) => [
    publisher.name,
    publisher.floor ?? 'default',
    publisher.blockedCategories.join('\n') || '-',
    publisher.blockedAdvertisers.join('\n') || '-',
    publisher.allowedTopics.join('\n') || '-',
    publisher.foreignLanguages?.join('\n') || '-',
  ]);
  return drawTable({ head: PUBLISHER, compact: false }, rows);
}

const KEY = ['key', 'publisher', 'kind', 'mode', 'state', 'origins', 'a minute', 'created', 'expires'];
const PUBLISHER = [
  'publisher',
  'floor',
  'blocked categories',
  'blocked advertisers',
  'allowed topics',
  'foreign languages',
];

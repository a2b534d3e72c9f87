import { parseArgs } from 'node:util';
import { gateTopics } from '../../models/safety/gate-model.js';
import { suggestNames } from '../domain/names.js';
import type { NewKey } from './changes.js';
import type { PublisherSettings } from './key-file.js';
import { readDuration, readMomentOrDuration } from '../../models/time/moment.js';

/** What the command line asks for, read and checked. */
export type KeyCommand =
  | { readonly name: 'create'; readonly key: NewKey }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'rotate'; readonly id: string; readonly overlapMs: number }
  | { readonly name: 'deactivate'; readonly id: string }
  | { readonly name: 'set'; readonly publisher: string; readonly settings: Partial<PublisherSettings> };

/** The command line cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readKeyCommand(argv: readonly string[], timeZone: string, now: number): KeyCommand {
  const [name, ...rest] = argv;
  switch (name) {
    case 'create':
      return create(rest, timeZone, now);
    case 'list':
      return { name, json: parse(rest, { json: { type: 'boolean' } }, 0).values['json'] === true };
    case 'rotate': {
      const { values, positionals } = parse(rest, { overlap: { type: 'string' } }, 1);
      const overlapMs = readDuration(text(values['overlap']) ?? '24h');
      if (overlapMs === undefined) throw new UsageError('--overlap must be a duration such as 24h, 30m or 0');
      return { name, id: positionals[0] ?? '', overlapMs };
    }
    case 'deactivate':
      return { name, id: parse(rest, {}, 1).positionals[0] ?? '' };
    case 'set':
      return set(rest);
    default:
      throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
  }
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function create(argv: readonly string[], timeZone: string, now: number): KeyCommand {
  const { values, positionals } = parse(
    argv,
    {
      publisher: { type: 'string' },
      test: { type: 'boolean' },
      origin: { type: 'string', multiple: true },
      expires: { type: 'string' },
      'requests-per-minute': { type: 'string' },
    },
    argv.some((argument) => argument.startsWith('--origin')) ? Infinity : 0,
  );
  const perMinute = text(values['requests-per-minute']);
  if (perMinute !== undefined && !/^[1-9]\d{0,5}$/.test(perMinute)) {
    throw new UsageError('--requests-per-minute must be a whole number from 1 to 999999');
  }
  const expires = text(values['expires']);
  const expiresAt = expires === undefined ? null : readMomentOrDuration(expires, timeZone, now);
  if (expiresAt === undefined) {
    throw new UsageError(
      '--expires must be an RFC 3339 date-time, a date such as 2027-01-31 or a duration such as 90d',
    );
  }
  if (expiresAt !== null && expiresAt <= now) throw new UsageError('--expires lies in the past');
  return {
    name: 'create',
    key: {
      publisher: publisherName(values['publisher']),
      test: values['test'] === true,
      origins: [...texts(values['origin']), ...positionals].map(readOrigin),
      requestsPerMinute: perMinute === undefined ? null : Number(perMinute),
      expiresAt,
    },
  };
}

function set(argv: readonly string[]): KeyCommand {
  const many = { type: 'string', multiple: true } as const;
  const options = { 'block-category': many, 'block-advertiser': many, 'allow-topic': many };
  const { values } = parse(argv, { publisher: { type: 'string' }, floor: { type: 'string' }, ...options }, 0);
  const floor = text(values['floor']);
  if (floor !== undefined && floor !== 'default' && !(/^\d*\.?\d+$/.test(floor) && Number(floor) <= 1)) {
    throw new UsageError('--floor must be a number from 0 to 1, or default');
  }
  const settings: Partial<PublisherSettings> = {
    ...(floor === undefined ? {} : { floor: floor === 'default' ? null : Number(floor) }),
    ...(values['block-category'] ? { blockedCategories: labels(values['block-category']) } : {}),
    ...(values['block-advertiser'] ? { blockedAdvertisers: labels(values['block-advertiser']) } : {}),
    ...(values['allow-topic'] ? { allowedTopics: topics(values['allow-topic']) } : {}),
  };
  if (Object.keys(settings).length === 0) throw new UsageError('nothing to set');
  return { name: 'set', publisher: publisherName(values['publisher']), settings };
}

function parse(argv: readonly string[], options: Options, positionals: number) {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (positionals === 1 && parsed.positionals.length === 0) throw new UsageError('a key id is missing');
  const extra = parsed.positionals[positionals];
  if (extra !== undefined) throw new UsageError(`${extra} is one argument too many`);
  return { values: parsed.values as Record<string, unknown>, positionals: parsed.positionals };
}

/** Names are compared as people see them: composed, without space around. Any script; no control characters. */
function publisherName(value: unknown): string {
  const name = text(value)?.normalize('NFC').trim();
  if (name === undefined || name === '') throw new UsageError('--publisher NAME is missing');
  if (name.length > 200) throw new UsageError('--publisher must be at most 200 characters');
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw new UsageError('--publisher must not hold control characters');
  return name;
}

function readOrigin(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new UsageError(`--origin must be such as https://example.com, not ${value}`);
  }
  return url.origin;
}

/** One empty value clears a list. */
function labels(value: unknown): string[] {
  return texts(value).filter((label) => label.trim() !== '');
}

/** A topic that the gate does not know would silently allow nothing. */
function topics(value: unknown): string[] {
  const named = labels(value);
  const known = gateTopics();
  const unknown = named.find((topic) => !known.includes(topic));
  if (unknown === undefined) return named;
  throw new UsageError(`--allow-topic: there is no topic "${unknown}"; ${suggestNames(unknown, known)}`);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

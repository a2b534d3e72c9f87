import { FLAG, TEXT, TEXTS, UsageError } from '../../../platform/command-line/run-command.js';
import { gateTopics } from '../../../models/safety/gate-model.js';
import type { Config } from '../../config/config.js';
import { primaryLanguage } from '../../../models/text/language.js';
import { tidyName } from '../../../models/text/tidy-name.js';
import { languageName } from '../../../models/text/language-tag.js';
import { suggestNames } from '../../domain/names.js';
import { suggestLanguages } from '../../keys/suggest-languages.js';
import type { KeyMode } from '../../domain/publisher.js';
import type { NewKey } from '../../keys/key-operations.js';
import type { PublisherSettings } from '../../keys/key-file.js';
import { KeyInputError, parseNewKey, publisherName, readMode, readOverlap } from '../../keys/new-key.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type KeyArguments = { readonly config: Config } & (
  | { readonly name: 'create'; readonly key: NewKey }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'rotate'; readonly id: string; readonly overlapMs: number }
  | { readonly name: 'deactivate'; readonly id: string }
  | { readonly name: 'mode'; readonly id: string; readonly mode: KeyMode }
  | SetPublisher
);

export interface SetPublisher {
  readonly name: 'set';
  readonly publisher: string;
  readonly settings: Partial<PublisherSettings>;
  /** Blocked names may be unknown. */
  readonly isNew: boolean;
}

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[], now: number): KeyArguments {
  try {
    switch (name) {
      case 'create':
        return create(argv, now);
      case 'list': {
        const { values, config } = readCommand(argv, { json: FLAG }, 0);
        return { name, json: values.json === true, config };
      }
      case 'rotate': {
        const { values, positionals, config } = readCommand(argv, { overlap: TEXT }, 1);
        return { name, id: keyId(positionals), overlapMs: readOverlap(values.overlap ?? '24h'), config };
      }
      case 'deactivate': {
        const { positionals, config } = readCommand(argv, {}, 1);
        return { name, id: keyId(positionals), config };
      }
      case 'mode': {
        const { positionals, config } = readCommand(argv, {}, 2);
        return { name, id: keyId(positionals), mode: readMode(positionals[1] ?? ''), config };
      }
      case 'set':
        return set(argv);
      default:
        throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
    }
  } catch (error) {
    throw error instanceof KeyInputError ? new UsageError(`--${error.message}`) : error;
  }
}

const CREATE = {
  publisher: TEXT,
  test: FLAG,
  mode: TEXT,
  origin: TEXTS,
  expires: TEXT,
  'requests-per-minute': TEXT,
} as const;

function create(argv: readonly string[], now: number): KeyArguments {
  // Several origins may follow one --origin.
  const maxArguments = argv.some((argument) => argument.startsWith('--origin')) ? Infinity : 0;
  const { values, positionals, config } = readCommand(argv, CREATE, maxArguments);
  const { publisher, test = false, mode, origin = [], expires, 'requests-per-minute': requestsPerMinute } = values;
  const input = { publisher, test, mode, origins: [...origin, ...positionals], expires, requestsPerMinute };
  return { name: 'create', key: parseNewKey(input, config.timeZone, now), config };
}

const LISTS = {
  'block-category': TEXTS,
  'block-advertiser': TEXTS,
  'allow-topic': TEXTS,
  'foreign-language': TEXTS,
} as const;

function set(argv: readonly string[]): KeyArguments {
  const { values, config } = readCommand(argv, { publisher: TEXT, floor: TEXT, new: FLAG, ...LISTS }, 0);
  const { floor, 'block-category': categories, 'block-advertiser': advertisers, 'allow-topic': topics } = values;
  const { 'foreign-language': languages } = values;
  if (floor !== undefined && floor !== 'default' && !(/^\d*\.?\d+$/.test(floor) && Number(floor) <= 1)) {
    throw new UsageError('--floor must be a number from 0 to 1, or default');
  }
  const settings: Partial<PublisherSettings> = {
    ...(floor === undefined ? {} : { floor: floor === 'default' ? null : Number(floor) }),
    ...(categories === undefined ? {} : { blockedCategories: labels(categories) }),
    ...(advertisers === undefined ? {} : { blockedAdvertisers: labels(advertisers) }),
    ...(topics === undefined ? {} : { allowedTopics: knownTopics(topics) }),
    ...(languages === undefined ? {} : { foreignLanguages: knownLanguages(languages) }),
  };
  if (Object.keys(settings).length === 0) throw new UsageError('nothing to set');
  return { name: 'set', publisher: publisherName(values.publisher), settings, isNew: values.new === true, config };
}

function keyId([id]: readonly string[]): string {
  if (id === undefined) throw new UsageError('a key id is missing');
  return id;
}

/** Normalises names as in feeds; one empty value clears a list. */
function labels(values: readonly string[]): string[] {
  return values.map(tidyName).filter((label) => label !== '');
}

/** Rejects unknown topics: a topic that the gate does not know would silently allow nothing. */
function knownTopics(values: readonly string[]): string[] {
  const named = labels(values);
  const known = gateTopics();
  const unknown = named.find((topic) => !known.includes(topic));
  if (unknown === undefined) return named;
  throw new UsageError(`--allow-topic: there is no topic "${unknown}"; ${suggestNames(unknown, known)}`);
}

/** Reduces tags to their language: `de-AT` to `de`. */
function knownLanguages(values: readonly string[]): string[] {
  const tags = labels(values).map((tag) => tag.trim());
  const unknown = tags.find((tag) => languageName(tag) === null);
  if (unknown === undefined) return [...new Set(tags.map(primaryLanguage))];
  throw new UsageError(`--foreign-language: there is no language "${unknown}"; ${suggestLanguages(unknown)}`);
}

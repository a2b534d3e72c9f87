import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the token vectors of the last layer become one vector. */
export type Pooling = 'mean' | 'cls';

/** Which model to load, and how to prepare text for it. */
export interface EncoderProfile {
  /** Name from the setting, for display. */
  readonly name: string;
  /** Directory in the layout of transformers.js: config.json, tokenizer.json, onnx/. */
  readonly directory: string;
  /** One graph that encodes single texts, or two (`lower`, `upper`) that read a conversation's turns in one pass. */
  readonly layout: 'single' | 'joint';
  /** Weight format, as transformers.js names it; `q8` is `onnx/model_quantized.onnx`. */
  readonly dtype: 'q8' | 'fp16' | 'fp32' | 'q4';
  readonly pooling: Pooling;
  /** Prefix of every text; some encoders were trained with one (`query: `). */
  readonly contextPrefix: string;
  readonly creativePrefix: string;
  /** Number of tokens kept, without special ones: the newest of a context, the first of a creative. */
  readonly contextTokens: number;
  readonly creativeTokens: number;
  /** Length of its own vectors. */
  readonly dims: number;
  /** A smaller encoder whose vectors are joined to its own. */
  readonly second: { readonly profile: EncoderProfile; readonly weight: number } | null;
  /** Whether it was trained for English only; otherwise it encodes text of any language. */
  readonly english: boolean;
  /** The encoder for other languages beside one for English; null: there is none. */
  readonly multilingual: EncoderProfile | null;
}

/** Returns the length of a catalogue's vectors: that of the encoder's own plus its second encoder's. */
export function catalogueDims({ dims, second }: EncoderProfile): number {
  return dims + (second?.profile.dims ?? 0);
}

/** The bundled encoders by PROFILE setting: best decisions, or fastest. */
export const PROFILES = { quality: 'adjacent-base', fast: 'adjacent-small' } as const;

export type ProfileName = keyof typeof PROFILES;

/** The bundled encoder for other languages, beside either of them. */
const MULTILINGUAL = 'adjacent-multilingual';

/** All bundled models. */
export const BUNDLED_MODELS: readonly string[] = [...Object.values(PROFILES), MULTILINGUAL];

/** Values of the LANGUAGES setting: every language that the bundled models were measured on, or only English. */
export const LANGUAGE_CHOICES = ['all', 'en'] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

/** The settings that select the model to load. */
export interface ModelSettings {
  /** The MODEL setting; null: the profile's model. */
  readonly model: string | null;
  readonly profile: ProfileName;
  readonly languages: LanguageChoice;
}

/** Returns the model to load: the MODEL setting's, else the profile's. */
export function modelOf({ model, profile, languages }: ModelSettings): string {
  return model ?? `${PROFILES[profile]}?languages=${languages}`;
}

// Compiled files are in dist/models/encoder/, model files beside the sources.
const modelsDirectory = fileURLToPath(new URL('../../../models/', import.meta.url));

/** Default lengths by layout, and the most that fit: special tokens take 2 of a graph's positions, of 512 or 208. */
const TOKENS = {
  single: { context: 110, creative: 56, most: 510 },
  joint: { context: 128, creative: 62, most: 206 },
} as const;

/**
 * Reads the `MODEL` setting, `NAME[?options]`. NAME is a bundled model, a directory, or the hub name of a model that
 * `npm run fetch-model` has put below `fetched`. The options are
 * `languages=all|en&pooling=mean|cls&contextPrefix=…&creativePrefix=…&contextTokens=…&creativeTokens=…&dtype=…`.
 *
 * @param fetched directory of fetched models, `DATA_DIR/models`
 * @throws Error that says what is missing or wrong, and what to do
 */
export function readProfile(setting: string, fetched: string): EncoderProfile {
  const [name = '', query = ''] = setting.split('?', 2);
  const directory = [path.join(modelsDirectory, name), path.resolve(name), path.join(fetched, name)].find((candidate) =>
    existsSync(path.join(candidate, 'config.json')),
  );
  if (directory === undefined) {
    throw new Error(
      `MODEL: no model at "${name}". Give a directory with config.json, or run: npm run fetch-model -- ${name}`,
    );
  }
  const options = new URLSearchParams(query);
  const { hiddenSize, layout, second } = readModelConfig(directory);
  const tokens = TOKENS[layout];
  const languages = oneOf(options, 'languages', LANGUAGE_CHOICES);
  const english = Object.values(PROFILES).some((bundled) => directory === path.join(modelsDirectory, bundled));
  return {
    name,
    directory,
    layout,
    dtype: oneOf(options, 'dtype', ['q8', 'fp16', 'fp32', 'q4']),
    pooling: oneOf(options, 'pooling', ['mean', 'cls']),
    contextPrefix: options.get('contextPrefix') ?? '',
    creativePrefix: options.get('creativePrefix') ?? '',
    contextTokens: count(options, 'contextTokens', tokens.context, tokens.most),
    creativeTokens: count(options, 'creativeTokens', tokens.creative, tokens.most),
    dims: hiddenSize,
    second: second && {
      profile: readProfile(`${path.join(directory, '..', second.model)}?languages=en`, fetched),
      weight: second.weight,
    },
    english,
    multilingual: english && languages === 'all' ? readProfile(MULTILINGUAL, fetched) : null,
  };
}

function oneOf<T extends string>(options: URLSearchParams, name: string, allowed: readonly [T, ...T[]]): T {
  const value = options.get(name) ?? allowed[0];
  const found = allowed.find((option) => option === value);
  if (found === undefined) throw new Error(`MODEL: ${name} must be one of ${allowed.join(', ')}, not "${value}"`);
  return found;
}

function count(options: URLSearchParams, name: string, fallback: number, most: number): number {
  const value = Number(options.get(name) ?? fallback);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`MODEL: ${name} must be 1 to ${most}`);
  return value;
}

interface ModelConfig {
  readonly hiddenSize: number;
  readonly layout: EncoderProfile['layout'];
  /** The directory name of the second encoder's model, and its similarity's weight; this one's has weight 1. */
  readonly second: { readonly model: string; readonly weight: number } | null;
}

function readModelConfig(directory: string): ModelConfig {
  const config = JSON.parse(readFileSync(path.join(directory, 'config.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  const { hidden_size: hiddenSize, adjacent_layout: layout = 'single', adjacent_second: second = null } = config;
  if (typeof hiddenSize !== 'number') throw new Error(`MODEL: ${directory}/config.json names no hidden_size`);
  if (layout !== 'single' && layout !== 'joint') {
    throw new Error(`MODEL: ${directory}/config.json has an adjacent_layout that this version does not know`);
  }
  return { hiddenSize, layout, second: second as ModelConfig['second'] };
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the vectors of the last layer become one vector. */
export type Pooling = 'mean' | 'cls';

/** Which model to load, and how text must reach it. */
export interface EncoderProfile {
  /** Name as it was set; shown to people. */
  readonly name: string;
  /** Directory in the layout of transformers.js: config.json, tokenizer.json, onnx/. */
  readonly directory: string;
  /** One graph that encodes, or two (`lower`, `upper`) of which the second can also judge ads. */
  readonly layout: 'single' | 'joint';
  /** Weight format, as transformers.js names it; `q8` is `onnx/model_quantized.onnx`. */
  readonly dtype: 'q8' | 'fp16' | 'fp32' | 'q4';
  readonly pooling: Pooling;
  /** Put before every text; some encoders were trained with one (`query: `). */
  readonly contextPrefix: string;
  readonly creativePrefix: string;
  /** Tokens kept, without the special ones: a context's newest, a creative's first. */
  readonly contextTokens: number;
  readonly creativeTokens: number;
  /** Length of its own vectors. */
  readonly dims: number;
  /** A smaller encoder whose vectors are put beside its own. */
  readonly second: { readonly profile: EncoderProfile; readonly weight: number } | null;
  /** It was made for English; otherwise it reads whatever comes. */
  readonly english: boolean;
  /** Beside one for English: the encoder of what is not; null: there is none. */
  readonly multilingual: EncoderProfile | null;
}

/** Length of the vectors of a catalogue: the encoder's own, and its second reader's. */
export function catalogueDims({ dims, second }: EncoderProfile): number {
  return dims + (second?.profile.dims ?? 0);
}

/** The encoders that come with Adjacent, by the PROFILE setting: deciding as well as it can, or as fast. */
export const PROFILES = { quality: 'adjacent-base', fast: 'adjacent-small' } as const;

export type ProfileName = keyof typeof PROFILES;

/** What reads other languages beside either of them. */
export const MULTILINGUAL = 'adjacent-multilingual';

/** Every model that comes with Adjacent. */
export const BUNDLED_MODELS: readonly string[] = [...Object.values(PROFILES), MULTILINGUAL];

/** Values of the LANGUAGES setting: every language that the bundled models were measured on, or English alone. */
export const LANGUAGE_CHOICES = ['all', 'en'] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

/** The settings that say which model to load. */
export interface ModelSettings {
  /** The MODEL setting; null: the profile's. */
  readonly model: string | null;
  readonly profile: ProfileName;
  readonly languages: LanguageChoice;
}

/** The model to load: the MODEL setting's, else the profile's. */
export function modelOf({ model, profile, languages }: ModelSettings): string {
  return model ?? `${PROFILES[profile]}?languages=${languages}`;
}

// Compiled files lie in dist/models/encoder/, the model's files beside the sources.
const modelsDirectory = fileURLToPath(new URL('../../../models/', import.meta.url));

/**
 * Reads the `MODEL` setting: `NAME[?languages=all|en&pooling=mean|cls&contextPrefix=…&creativePrefix=…&contextTokens=…&creativeTokens=…&dtype=…]`.
 * NAME is a bundled model, a directory, or a hub name that `npm run fetch-model` has put below `fetched`.
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
    contextTokens: count(options, 'contextTokens', layout === 'joint' ? 128 : 110),
    creativeTokens: count(options, 'creativeTokens', layout === 'joint' ? 62 : 56),
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

function count(options: URLSearchParams, name: string, fallback: number): number {
  const value = Number(options.get(name) ?? fallback);
  // 2 of a BERT-like model's 512 positions go to the special tokens.
  if (!Number.isInteger(value) || value < 1 || value > 510) throw new Error(`MODEL: ${name} must be 1 to 510`);
  return value;
}

interface ModelConfig {
  readonly hiddenSize: number;
  readonly layout: EncoderProfile['layout'];
  /** Which model beside this one is the second reader, and how much its similarity counts where this one's counts 1. */
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

import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { isLocal } from '../domain/urls.js';
import { SETTINGS, SettingError, type Config } from './settings.js';

export type { Config } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads every setting, from flags (`--base-url URL`) before environment, and checks it.
 *
 * @param argv the command line's arguments without node and script
 * @throws ConfigError naming everything that is wrong, not only the first
 */
export function readConfig(env: Environment, argv: readonly string[] = []): Config {
  const flags = readFlags(argv);
  const problems = [...flags.problems];
  const config: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    const text = flags.values[setting.name] ?? env[setting.name];
    try {
      const value = setting.read(text === undefined || text.trim() === '' ? undefined : text.trim());
      if (setting.key !== null) config[setting.key] = value;
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      problems.push(`${setting.name} ${error.message}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const { baseUrl, demo } = config as unknown as Config;
  return {
    ...(config as unknown as Config),
    demo: demo ?? (baseUrl === null || isLocal(new URL(baseUrl))),
    warnings:
      baseUrl !== null && baseUrl.startsWith('http:') && !isLocal(new URL(baseUrl))
        ? ['BASE_URL is plain http beyond localhost: keys and conversations travel unencrypted']
        : [],
  };
}

/** The process's environment over the file `.env` of the working directory. The only place that reads either. */
export function readEnvironment(file = '.env'): Environment {
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...process.env };
}

/** The settings cannot be used. `problems` holds one sentence for each fault. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Every setting is a flag too: `DATA_DIR` is `--data-dir`. */
function readFlags(argv: readonly string[]) {
  const names = new Map(SETTINGS.map(({ name }) => [name.toLowerCase().replaceAll('_', '-'), name]));
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...names.keys()].map((flag) => [flag, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      problems.push(`${token.value} is not a flag`);
      continue;
    }
    const name = names.get(token.name);
    if (name === undefined) problems.push(`${token.rawName} is not a known flag`);
    else if (token.value === undefined) problems.push(`${token.rawName} needs a value`);
    else values[name] = token.value;
  }
  return { values, problems };
}

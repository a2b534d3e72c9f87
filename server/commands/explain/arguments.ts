import { readFileSync } from 'node:fs';
import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { checker } from '../../../models/schema/check.js';
import { MatchRequest } from '../../../models/schema/match-request.js';
import { readInstant } from '../../../platform/time/moment.js';
import type { Config } from '../../config/config.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run explain -- "CONTEXT" | - | --messages FILE.json [options]

Explains why a conversation gets an ad or none, with the code behind the match endpoint. Nothing is counted or stored.
Budgets, pacing and frequency caps are not checked: the dashboard's page "Why this ad" asks the running server, which
knows budgets and pacing, and "npm run campaigns -- list" prints what is spent.

  CONTEXT            the conversation; - reads it from standard input
  --messages FILE    a JSON list of {role, content} instead
  --publisher NAME   with this publisher's floor and block lists (default: a publisher without settings)
  --country CODE     for a reader in this country, such as GB (default: unknown)
  --at MOMENT        the time for start and end dates, as an RFC 3339 date-time (default: now)
  --snapshot ID      this snapshot (default: the live one)
  --json             one JSON object instead of text
  --data-dir DIR     where the catalogue is (default: the DATA_DIR setting, ./data)

Example: npm run explain -- "User: are solar panels worth it for our roof?"
`;

export interface ExplainArguments {
  readonly request: MatchRequest;
  readonly publisher: string | undefined;
  /** Epoch milliseconds; undefined: now. */
  readonly at: number | undefined;
  readonly snapshot: string | undefined;
  readonly json: boolean;
  readonly config: Config;
}

const OPTIONS = { country: TEXT, messages: TEXT, publisher: TEXT, at: TEXT, snapshot: TEXT, json: FLAG } as const;

/**
 * Reads and checks the command line.
 *
 * @param stdin reads standard input to its end
 * @throws UsageError, SettingsError naming what is wrong
 */
export function readArguments(argv: readonly string[], stdin: () => string): ExplainArguments {
  const { values, positionals, config } = readCommand(argv, OPTIONS);
  const { country, messages, publisher, at, snapshot, json = false } = values;
  if (positionals.length > 1) throw new UsageError('give the context as one argument, in quotes');
  if ((positionals[0] === undefined) === (messages === undefined)) {
    throw new UsageError('give a context, - or --messages FILE');
  }
  const said =
    messages === undefined
      ? { context: positionals[0] === '-' ? stdin() : positionals[0] }
      : { messages: messagesIn(messages) };
  const checked = check({ ...said, ...(country === undefined ? {} : { country }) });
  if (!checked.ok) throw new UsageError(checked.faults.map(({ field, message }) => `${field} ${message}`).join('; '));
  const moment = at === undefined ? undefined : readInstant(at);
  if (at !== undefined && moment === undefined)
    throw new UsageError(`--at must be a date-time such as 2026-12-01T09:00Z, not "${at}"`);
  return { request: checked.value, publisher, at: moment, snapshot, json, config };
}

const check = checker(MatchRequest);

/** Reads a list of messages, or an object that contains one, as in a request's body. */
function messagesIn(file: string): unknown {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as { messages?: unknown } | null;
    return value?.messages ?? value;
  } catch (error) {
    throw new UsageError(`--messages ${file}: ${(error as Error).message}`);
  }
}

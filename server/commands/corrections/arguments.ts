import { readFileSync } from 'node:fs';
import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { EVENT_KINDS } from '../../../models/schema/event-kinds.js';
import { addDays, isDate, startOfDate } from '../../../platform/time/calendar.js';
import { readInstant } from '../../../platform/time/moment.js';
import type { Config } from '../../config/config.js';
import type { VoidRule } from '../../ledger/corrections/void-rule.js';
import { NAMES } from '../../reports/report-query.js';
import { digestRequestId } from '../../request-id/request-ids.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type CorrectionArguments =
  { readonly name: 'list'; readonly json: boolean; readonly config: Config } | VoidArguments;

export interface VoidArguments {
  readonly name: 'void';
  /** Returns the rule in a time zone, the ledger's: dates are days of that zone. */
  readonly ruleIn: (timeZone: string) => VoidRule;
  readonly reason: string;
  readonly confirm: boolean;
  readonly config: Config;
}

const WHICH = { publisher: TEXT, advertiser: TEXT, campaign: TEXT, creative: TEXT, kind: TEXT } as const;
const WHEN = { from: TEXT, to: TEXT, 'request-ids': TEXT } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[]): CorrectionArguments {
  if (name === 'list') {
    const { values, config } = readCommand(argv, { json: FLAG }, 0);
    return { name, json: values.json === true, config };
  }
  if (name !== 'void') throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
  const { values, config } = readCommand(argv, { ...WHICH, ...WHEN, reason: TEXT, confirm: FLAG }, 0);
  const reason = values.reason?.trim() ?? '';
  if (reason === '' || reason.length > 200 || /[\p{Cc}\p{Cs}]/u.test(reason)) {
    throw new UsageError('--reason is missing: a line of at most 200 characters, which is shown on the invoice');
  }
  const list = values['request-ids'];
  // Read only once: the file may be a pipe.
  const ids = list === undefined ? undefined : digestsIn(list);
  const ruleIn = (timeZone: string): VoidRule => ruleOf(values, ids, timeZone);
  // Checked here, so that invalid dates are reported before a ledger is opened.
  ruleIn(config.timeZone);
  return { name, ruleIn, reason, confirm: values.confirm === true, config };
}

type Values = Readonly<Partial<Record<keyof typeof WHICH | keyof typeof WHEN, string>>>;

function ruleOf(values: Values, ids: string[] | undefined, timeZone: string): VoidRule {
  const kind = EVENT_KINDS.find((known) => known === values.kind);
  if (values.kind !== undefined && kind === undefined) {
    throw new UsageError(`--kind must be one of ${EVENT_KINDS.join(', ')}, not "${values.kind}"`);
  }
  const names = Object.fromEntries(NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
  const from = momentOf('from', values.from, timeZone, 0);
  // A bare date means the whole day, as in reports.
  const to = momentOf('to', values.to, timeZone, 1);
  const rule: VoidRule = {
    ...names,
    ...(kind === undefined ? {} : { kind }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(ids === undefined ? {} : { ids }),
  };
  if (Object.keys(rule).length === 0) throw new UsageError('give at least one option that says which events are void');
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError('--to must be after --from');
  return rule;
}

function momentOf(flag: string, text: string | undefined, timeZone: string, days: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = isDate(text) ? startOfDate(addDays(text, days), timeZone) : readInstant(text);
  if (moment !== undefined) return moment;
  throw new UsageError(`--${flag} must be a date (2026-11-21) or a date-time (2026-11-21T06:00Z), not "${text}"`);
}

/** Reads one digest per line from a request id, a URL that contains one, or the digest itself (the ledger's key). */
function digestsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const texts = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (texts.length === 0) throw new UsageError(`${file} contains no request id`);
  return [...new Set(texts.map(digestOf))];
}

function digestOf(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  return digestRequestId(/[?&]requestId=([^&#]*)/.exec(text)?.[1] ?? text);
}

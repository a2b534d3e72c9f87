import { readFileSync } from 'node:fs';
import { Type, type Static } from '#typebox';
import { UsageError } from '../../../platform/command-line/run-command.js';
import { checker } from '../../../models/schema/check.js';
import { EITHER, MatchRequest } from '../../../models/schema/match-request.js';

/** A recorded conversation, with its right answer if known. Other fields are ignored. */
const RecordedContext = Type.Object(
  {
    ...MatchRequest.properties,
    /** Ids of the right creatives; empty: no ad is right; absent: not known. */
    relevant: Type.Optional(Type.Array(Type.String())),
    /** True if the right answer is disputable. */
    borderline: Type.Optional(Type.Boolean()),
  },
  EITHER,
);
export type RecordedContext = Static<typeof RecordedContext>;

const check = checker(RecordedContext);

/**
 * Reads conversations, one per line: JSON objects with `context` or `messages` (and optionally `relevant`,
 * `borderline`), or plain text if the first line does not begin with `{`.
 *
 * @param file `-` reads standard input
 * @throws UsageError naming the line and field that is wrong
 */
export function readContexts(file: string): RecordedContext[] {
  const lines = textOf(file)
    .split('\n')
    .map((text, at) => ({ text: text.trim(), number: at + 1 }))
    .filter(({ text }) => text !== '');
  if (lines.length === 0) throw new UsageError(`${file} contains no context`);
  if (!lines[0]!.text.startsWith('{')) return lines.map(({ text }) => ({ context: text }));
  return lines.map(({ text, number }) => {
    const checked = check(parsed(text));
    if (checked.ok) return checked.value;
    const [fault] = checked.faults;
    throw new UsageError(`${file} line ${number}: ${fault!.field || 'the line'} ${fault!.message}`);
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

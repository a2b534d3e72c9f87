import { hostileText } from './fragments.js';
import type { Random } from './random.js';

/** Maximum size of a body, in bytes. */
const LIMIT = 256 * 1024;

/** Returns a match request body whose form may be valid but whose texts are hostile. */
export function conversation(random: Random): object {
  const text = `User: ${hostileText(random)}\nAssistant: ${hostileText(random)}\nUser: boots?${hostileText(random)}`;
  if (random.chance(0.5)) return { context: text };
  const role = random.pick(['user', 'assistant', 'system', 'tool', hostileText(random)]);
  const content = random.pick<unknown>([text, null, [{ type: 'text', text }], [{ type: 'image_url' }], 7]);
  return {
    messages: [
      { role, content },
      { role: 'user', content: hostileText(random) },
    ],
  };
}

/** Returns long texts of transcript marks, which would expose regular expressions with excessive backtracking. */
export function tryingText(random: Random): string {
  const pieces = [
    'User:',
    'User',
    '\n',
    ' ',
    '\t',
    '>',
    '*',
    '_',
    '#',
    '<|im_start|>',
    '<|',
    '[',
    '{',
    '"',
    'Ann: ',
    ':',
    '\r\n',
    '\u0345\u0301\u0323',
    '\ufdfa',
    '太太',
  ];
  const unit = Array.from({ length: 1 + random.length(6) }, () => random.pick(pieces)).join('');
  const room = random.length(random.chance(0.05) ? LIMIT - 1000 : 8000);
  return unit.repeat(Math.ceil(room / unit.length)).slice(0, room) + random.pick(['', 'x', '\n', 'User: boots?']);
}

/** Returns hundreds of messages of one kind, sometimes thousands. */
export function manyMessages(random: Random): object[] {
  const content = random.pick<unknown>([
    'x',
    '',
    ' ',
    null,
    [],
    [{ type: 'text', text: 'x' }],
    [{}],
    hostileText(random),
  ]);
  const role = random.pick(['user', 'assistant', 'system']);
  const count = random.length(random.chance(0.05) ? 5000 : 300);
  return [...Array.from({ length: count }, () => ({ role, content })), { role: 'user', content: 'tea?' }];
}

import { expect } from 'chai';
import fc from 'fast-check';
import { checker } from '../../../../models/schema/check.js';
import { MatchRequest } from '../../../../models/schema/match-request.js';
import { newestText, readConversation } from '../../../../server/decide/conversation/conversation.js';
import { altered, anyJson, anyText } from '../../../support/hostile-values.js';

const check = checker(MatchRequest, { everyFault: false });

/** Speaker labels, complete and broken, between arbitrary text. */
const marked = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom(
        'User:',
        '\nAssistant: ',
        '**Human:**',
        '<|im_start|>user\n',
        '<|im_end|>',
        '[{"role":"user"',
        'Ann: ',
        '\r\n',
      ),
    ),
  )
  .map((pieces) => pieces.join(''));

const request = {
  context: 'User: hello',
  messages: [
    { role: 'user', content: 'boots' },
    { role: 'assistant', content: [{ type: 'text', text: 'Which?' }, { type: 'image_url' }] },
  ],
};

describe('an arbitrary request body', () => {
  /** Validates a body, and checks that a valid one can be parsed. @returns whether it was valid */
  const read = (body: unknown): boolean => {
    const checked = check(body);
    if (!checked.ok) {
      expect(checked.faults).to.have.length.above(0);
      return false;
    }
    const conversation = readConversation(checked.value);
    expect(conversation.turns).to.have.length.above(0);
    for (const { speaker, text } of conversation.turns) {
      expect(speaker).to.be.oneOf(['user', 'assistant']);
      expect(text.trim()).to.equal(text);
    }
    expect(newestText(conversation).length).to.be.at.most(900);
    return true;
  };

  it('is rejected with a reason, or parsed into turns', () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, altered(request)), (body) => void read(body)),
      { numRuns: 2000 },
    );
  });

  it('is parsed into turns whatever the context, unless it is blank or has a lone surrogate', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          marked,
          anyJson.map((value) => JSON.stringify(value)),
        ),
        (context) => {
          expect(read({ context })).to.equal(/\S/.test(context) && context.isWellFormed());
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is parsed into turns whatever the messages contain', () => {
    const content = fc.oneof(marked, fc.constant(null), fc.array(marked.map((text) => ({ type: 'text', text }))));
    const role = fc.constantFrom('user', 'assistant', 'system', 'tool');
    const parts = fc.array(marked.map((text) => ({ type: 'text', text })));
    const message = fc.record({ role, content, parts }, { requiredKeys: ['role'] });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), (messages) => void read({ messages })),
      { numRuns: 1000 },
    );
  });
});

import { expect } from 'chai';
import { limitMarks } from '../../../models/text/limit-marks.js';

describe('a run of combining marks', () => {
  it('is kept if a language may need it, and else shortened', () => {
    expect(limitMarks(`Zalgo e${'\u0301'.repeat(30)}.`)).to.equal(`Zalgo e${'\u0301'.repeat(30)}.`);
    expect(limitMarks(`e${'\u0301\u0323'.repeat(500)} x${'\u064b'.repeat(31)}`)).to.equal(
      `e${'\u0301\u0323'.repeat(15)} x${'\u064b'.repeat(30)}`,
    );
    for (const text of ['क्षत्रिय', 'أُمّي', 'e\u0301', '👩‍👩‍👧‍👦', '']) expect(limitMarks(text)).to.equal(text);
  });
});

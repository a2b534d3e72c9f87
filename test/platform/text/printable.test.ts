import { expect } from 'chai';
import fc from 'fast-check';
import { similarNames } from '../../../server/domain/names.js';
import { printable, printableEnd, printableLines } from '../../../platform/text/printable.js';

describe('printed external text', () => {
  it('is cut at the end of a word, or at the beginning of one if its end is kept', () => {
    const text = 'User: which boots are good for the hills?';
    expect(printable(text, 24)).to.equal('User: which boots are…');
    expect(printable(text, 18)).to.equal('User: which boots…');
    expect(printableEnd(text, 24)).to.equal('…are good for the hills?');
    expect(printableEnd(text, 23)).to.equal('…good for the hills?');
    expect([printable(text, 41), printableEnd(text, 41)]).to.deep.equal([text, text]);
  });

  it('is cut within a very long word, but never within a character', () => {
    expect(printable('donaudampfschiff', 6)).to.equal('donau…');
    expect(printableEnd('a donaudampfschiff', 6)).to.equal('…chiff');
    expect(printable('😀😀😀', 4)).to.equal('😀…');
    expect(printableEnd('😀😀😀', 4)).to.equal('…😀');
  });

  it('never exceeds the given length or one line, and has no control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 2, max: 50 }), (text, most) => {
        for (const shown of [printable(text, most), printableEnd(text, most)]) {
          expect(shown.length).to.be.at.most(most);
          expect(shown)
            .to.not.match(/\p{C}/u)
            .and.not.match(/[\n\r\u2028\u2029]/);
        }
      }),
    );
  });
});

describe('printed multi-line output', () => {
  it('keeps line breaks, tabs and the joiners of scripts and emoji', () => {
    const lines = 'a\tb\nc\r\nمرحبا नमस्ते 👩‍👩‍👧‍👦\n';
    expect(printableLines(lines)).to.equal(lines);
  });

  it('holds nothing that controls a terminal or reverses other text', () => {
    expect(printableLines('\u001b[2Jgone \u009b31mred\u0007 over\rwritten \u202edesrever\u2066')).to.equal(
      '\ufffd[2Jgone \ufffd31mred\ufffd over\ufffdwritten \ufffddesrever\ufffd',
    );
  });
});

describe('similar names', () => {
  const known = ['Spring sale', 'Spring', 'Sprint', 'Winter', 'Café Noir', 'A'];
  for (const [wanted, near] of [
    ['Sprnig', ['Spring']],
    ['spring', ['Spring', 'Spring sale', 'Sprint']],
    ['cafe noir', ['Café Noir']],
    ['Autumn', []],
    ['B', ['A']],
  ] as const) {
    it(`to the unknown name ${wanted} are ${near.join(', ') || 'none'}`, () => {
      expect(similarNames(wanted, known)).to.deep.equal(near);
    });
  }
});

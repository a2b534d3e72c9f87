import { expect } from 'chai';
import { canonicalTag, isSameLanguage, languageName } from '../../../models/text/language-tag.js';

describe('a language tag', () => {
  it('is converted to canonical BCP 47 form, or null if it is not a tag', () => {
    expect(['DE', 'pt-br', 'iw', 'zh-hant-tw'].map(canonicalTag)).to.deep.equal(['de', 'pt-BR', 'he', 'zh-Hant-TW']);
    expect(['', 'd', 'german', 'de--at', 'de_AT'].map(canonicalTag)).to.deep.equal([null, null, 'german', null, null]);
  });

  it('gives the English name of its language, regardless of region', () => {
    expect(['de', 'pt-BR', 'zh-Hant', 'hi'].map(languageName)).to.deep.equal([
      'German',
      'Portuguese',
      'Chinese',
      'Hindi',
    ]);
    for (const tag of ['xx', 'qaa', 'und', 'mul', 'zxx', 'german', 'de--at', '']) {
      expect(languageName(tag), tag).to.equal(null);
    }
  });

  it('is compared by its primary subtag, with both forms of Norwegian as one language', () => {
    expect(isSameLanguage('pt-BR', 'pt')).to.equal(true);
    expect(isSameLanguage('nb', 'no')).to.equal(true);
    expect(isSameLanguage('nn-NO', 'nb')).to.equal(true);
    expect(isSameLanguage('de', 'nl')).to.equal(false);
  });
});

import { expect } from 'chai';
import { canonicalTag, isSameLanguage, languageName } from '../../../models/text/language-tag.js';

describe('a language tag', () => {
  it('is brought into the form that BCP 47 prescribes, and is none otherwise', () => {
    expect(['DE', 'pt-br', 'iw', 'zh-hant-tw'].map(canonicalTag)).to.deep.equal(['de', 'pt-BR', 'he', 'zh-Hant-TW']);
    expect(['', 'd', 'german', 'de--at', 'de_AT'].map(canonicalTag)).to.deep.equal([null, null, 'german', null, null]);
  });

  it('has the English name of its language, whatever the region', () => {
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

  it('is of the same language as another by its first part alone, and as Norwegian in either of its forms', () => {
    expect(isSameLanguage('pt-BR', 'pt')).to.equal(true);
    expect(isSameLanguage('nb', 'no')).to.equal(true);
    expect(isSameLanguage('nn-NO', 'nb')).to.equal(true);
    expect(isSameLanguage('de', 'nl')).to.equal(false);
  });
});

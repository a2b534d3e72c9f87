import { expect } from 'chai';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { COVERED_LANGUAGES, type Language, primaryLanguage, DETECTION_VERSION } from '../../../models/text/language.js';
import { detectLanguage } from '../../../models/text/detect-language.js';
import { detectCreativeLanguage } from '../../../indexer/feed/detect-creative-language.js';
import type { FeedRow } from '../../../models/schema/creative.js';
import { contextFiles, type EvalContext, readJsonLines } from '../../eval/set.js';
import { readConversation } from '../../../server/decide/conversation/conversation.js';
import { languageOf } from '../../../server/decide/conversation/language.js';

const fromRoot = (file: string): string => new URL(`../../../../${file}`, import.meta.url).pathname;

describe('the language of a text', () => {
  it('is detected for short messages as people type them', () => {
    const said = {
      de: 'brauch neue winterreifen',
      es: 'busco un fontanero barato',
      fr: 'chaussures de rando pas cheres',
      hi: 'मुझे नए टायर चाहिए',
      ja: '冬タイヤを探してる',
      tr: 'ucuz kışlık lastik lazım',
      zh: '想买冬季轮胎',
      en: 'my boiler died',
    };
    for (const [language, text] of Object.entries(said)) expect(detectLanguage(text), text).to.equal(language);
  });

  it('is detected for Hindi in Roman script', () => {
    expect(detectLanguage('mujhe naye tyre chahiye')).to.equal('hi');
    expect(detectLanguage('bhai koi accha mobile batao 15k tak')).to.equal('hi');
    expect(detectLanguage('tha main kar')).to.equal('hi');
  });

  it('is English or unknown for product searches, since brands and models resemble many languages', () => {
    const [file] = contextFiles(fromRoot('test/eval/products'), 'test');
    const detected = readJsonLines<EvalContext>(file!).map(({ context }) => languageOf(readConversation({ context })));
    const other = detected.filter((language) => language !== null && language !== 'en');
    expect(other.length / detected.length).to.be.lessThan(0.05);
    expect(other.filter((language) => !COVERED_LANGUAGES.includes(language!))).to.deep.equal([]);
  });

  it('is detected for languages that no encoder covers', () => {
    expect(detectLanguage('мне нужны зимние шины, недорого')).to.equal('ru');
    expect(detectLanguage('겨울 타이어를 찾고 있어요')).to.equal('ko');
  });

  it('is unknown for texts that do not reveal it', () => {
    for (const text of ['', '12 + 3 = 15', '👍👍', 'x', 'ok', 'hi!']) expect(detectLanguage(text), text).to.equal(null);
  });

  it('is detected or null for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => detectLanguage(text) !== ''));
    expect(detectLanguage('привет '.repeat(200_000))).to.equal('ru');
  });

  it('is that of the user, whatever the assistant writes', () => {
    const context =
      'User: ich suche ein gebrauchtes Fahrrad\nAssistant: Sure! What size do you need, and for which use?\nUser: für die Stadt';
    expect(languageOf(readConversation({ context }))).to.equal('de');
  });

  it('is detected for at least nine in ten contexts of every covered language', () => {
    for (const language of COVERED_LANGUAGES.filter((each) => each !== 'en')) {
      const [file] = contextFiles(fromRoot(`test/eval/languages/${language}`), 'dev');
      const detected = readJsonLines<EvalContext>(file!).map(({ context }) =>
        languageOf(readConversation({ context })),
      );
      expect(detected.filter((each) => each === language).length / detected.length, language).to.be.at.least(0.9);
    }
  });

  it('changes only with DETECTION_VERSION; if this digest changes, increase it so that feeds are detected again', async () => {
    const detectAll = async (language: Language): Promise<unknown[]> => {
      const folder = language === 'en' ? 'test/eval/everyday' : `test/eval/languages/${language}`;
      const rows = readJsonLines<Pick<FeedRow, 'name' | 'text'>>(fromRoot(`${folder}/creatives.jsonl`));
      const contexts = readJsonLines<EvalContext>(fromRoot(`${folder}/contexts.dev.jsonl`));
      const ads = rows.map(async (row) => [
        await detectCreativeLanguage(row),
        await detectCreativeLanguage({ ...row, text: null }),
        detectLanguage(row.text.slice(0, 12)),
      ]);
      return [...(await Promise.all(ads)).flat(), ...contexts.map(({ context }) => detectLanguage(context))];
    };
    const detected = (await Promise.all(COVERED_LANGUAGES.map(detectAll))).flat();
    const digest = createHash('sha256').update(detected.join()).digest('hex').slice(0, 16);
    expect([DETECTION_VERSION, digest]).to.deep.equal([1, '58066542d2339bc3']);
  });

  it('of a tag is its primary subtag', () => {
    expect(['pt-BR', 'DE', 'zh-Hant-TW'].map(primaryLanguage)).to.deep.equal(['pt', 'de', 'zh']);
  });
});

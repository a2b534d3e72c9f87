import { expect } from 'chai';
import type { Ad, Disclosure } from '../../../../models/schema/ad.js';
import type { Creative } from '../../../../models/schema/creative.js';
import { boots, type Service, startService } from '../service.js';

describe('the disclosure of an ad over HTTP', () => {
  let service: Service;
  let creative: Creative;
  let feedAdvertiser: string | null;
  before(async () => {
    service = await startService({ decide: async () => ({ filled: true, creative, feedAdvertiser, score: 0.82 }) });
  });
  after(() => service.close());
  beforeEach(() => ([creative, feedAdvertiser] = [boots, boots.advertiser]));
  const adFor = async (disclosure?: boolean) =>
    (await (await service.match({ context: 'x', disclosure })).json()) as Ad;
  const disclosed = async (fields: Partial<Creative>): Promise<Disclosure> => {
    creative = { ...boots, ...fields };
    return (await adFor(true)).disclosure!;
  };

  it('is in the response if the request asks for it, and only then', async () => {
    const { disclosure } = await adFor(true);
    expect(disclosure).to.deep.equal({
      advertiser: 'Fellwalk',
      payer: null,
      title: 'Why this ad?',
      text:
        'This ad was chosen by what this conversation is about, not by a profile of you. ' +
        'The ad service does not store the conversation.',
      language: 'en',
    });
    for (const asked of [undefined, false]) expect(await adFor(asked)).not.to.have.property('disclosure');
  });

  it('names the feed’s advertiser, and the payer if a command has set another', async () => {
    expect(await disclosed({ advertiser: 'Media Agency' })).to.include({
      advertiser: 'Fellwalk',
      payer: 'Media Agency',
    });
    expect((await disclosed({ advertiser: 'Media Agency' })).text).to.match(/ Paid for by: \u2068Media Agency\u2069$/);
    expect(await disclosed({ advertiser: 'FELLWALK' })).to.include({ advertiser: 'Fellwalk', payer: null });
    expect(await disclosed({ advertiser: null })).to.include({ advertiser: 'Fellwalk', payer: null });
  });

  it('names nobody if the feed does not, and the payer as the advertiser', async () => {
    feedAdvertiser = null;
    expect(await disclosed({ advertiser: null })).to.include({ advertiser: null, payer: null });
    expect(await disclosed({ advertiser: 'Agency' })).to.include({ advertiser: 'Agency', payer: null });
  });

  for (const [tag, language, title] of [
    ['ar', 'ar', 'لماذا هذا الإعلان؟'],
    ['de-AT', 'de', 'Warum diese Anzeige?'],
    ['es', 'es', '¿Por qué este anuncio?'],
    ['fr', 'fr', 'Pourquoi cette publicité\u00a0?'],
    ['hi', 'hi', 'यह विज्ञापन क्यों?'],
    ['hi-Latn', 'hi', 'यह विज्ञापन क्यों?'],
    ['it', 'it', 'Perché questo annuncio?'],
    ['ja', 'ja', 'この広告が表示される理由'],
    ['nl', 'nl', 'Waarom deze advertentie?'],
    ['pl', 'pl', 'Dlaczego ta reklama?'],
    ['pt-BR', 'pt', 'Por que este anúncio?'],
    ['tr', 'tr', 'Neden bu reklam?'],
    ['zh', 'zh', '为什么会看到此广告？'],
    ['zh-TW', 'zh-Hant', '為什麼會看到這則廣告？'],
    ['ko', 'en', 'Why this ad?'],
    ['xx-123456789', 'en', 'Why this ad?'],
  ] as const) {
    it(`is in ${language} for an ad in ${tag}: "${title}"`, async () => {
      const disclosure = await disclosed({ language: tag, writtenIn: 'es' });
      expect(disclosure).to.include({ language, title });
      expect(disclosure.text.length).to.be.within(30, 250);
      expect(await disclosed({ writtenIn: tag })).to.deep.equal(disclosure);
    });
  }

  it('has a text of its own in each language', async () => {
    const tags = ['en', 'ar', 'de', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'zh', 'zh-Hant'];
    const texts = [];
    for (const language of tags) texts.push((await disclosed({ language, advertiser: 'Agency' })).text);
    expect(new Set(texts.map((text) => text.split('\u2068')[0])).size).to.equal(tags.length);
    for (const text of texts) expect(text).to.match(/[.。।] ?.{2,20}\u2068Agency\u2069$/);
  });
});

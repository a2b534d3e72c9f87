import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { Creative } from '../../models/schema/creative.js';
import type { LabelOptions, Template } from '../../sdk/types.js';
import { boots, startService, type Service } from '../server/http/service.js';
import { launchBrowser } from '../support/browser.js';
import { openSite, type OpenedSite } from '../support/opened-site.js';
import { scriptTag } from '../support/publisher-pages.js';

const GERMAN = { name: 'Wanderstiefel Fellwalk', text: 'Wasserdicht, für lange Tage in den Bergen.', language: 'de' };
/** Its first letters are Latin, which by themselves would make the text run from left to right. */
const ARABIC = { name: 'Fellwalk أحذية', text: 'أحذية مقاومة للماء للأيام الطويلة في الجبال.', language: 'ar' };

/** Returns the ad on the page as readers and screen readers perceive it. */
const shown = (page: Page) =>
  page.locator('adsdk-ad').evaluate((host) => {
    const ad = host.shadowRoot!.querySelector<HTMLElement>('.ad')!;
    const [label, link] = [ad.querySelector<HTMLElement>('.label')!, ad.querySelector('a')!];
    return {
      lang: ad.getAttribute('lang'),
      dir: getComputedStyle(ad).direction,
      label: label.textContent,
      labelLang: label.closest('[lang]')?.getAttribute('lang') ?? null,
      group: ad.getAttribute('aria-label'),
      link: link.textContent,
      linkName: link.getAttribute('aria-label'),
      title: link.getAttribute('title'),
    };
  });

/** Uses the real service, from a page on another origin. */
describe('The language of an ad', () => {
  let service: Service;
  let browser: Browser;
  let creative: Creative;
  let publisher: OpenedSite;
  before(async () => {
    service = await startService({ decide: async () => ({ filled: true, creative, score: 0.82 }) });
    browser = await launchBrowser();
  });
  afterEach(() => publisher.close());
  after(async () => {
    await browser.close();
    await service.close();
  });

  const open = async (labels?: unknown) => {
    const html = `<div id="slot" style="width: 500px"></div>${scriptTag(service.baseUrl)}`;
    publisher = await openSite(browser, { html });
    await publisher.page.evaluate(([apiKey, given]) => window.adsdk!.init({ apiKey, labels: given }), [
      service.key,
      labels as LabelOptions | undefined,
    ] as const);
    return publisher.page;
  };
  const show = async (fields: Partial<Creative>, labels?: unknown, template: Template = 'card') => {
    creative = { ...boots, imageFile: null, ...fields };
    const page = await open(labels);
    await page.evaluate(async (given) => {
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      window.adsdk!.render(ad, document.querySelector<HTMLElement>('#slot')!, { template: given });
    }, template);
    expect(publisher.consoleMessages.filter((line) => !/Failed to load resource/.test(line))).to.deep.equal([]);
    return { page, ...(await shown(page)) };
  };

  it('German is declared, with the labels "Anzeige" and "Mehr erfahren", for screen readers too', async () => {
    const { page, ...seen } = await show(GERMAN);
    expect(seen).to.deep.equal({
      lang: 'de',
      dir: 'ltr',
      label: 'Anzeige',
      labelLang: 'de',
      group: 'Anzeige',
      link: 'Mehr erfahren',
      linkName: 'Mehr erfahren: Wanderstiefel Fellwalk',
      title: null,
    });
    expect(await page.getByRole('link', { name: /^Mehr erfahren: / }).isVisible()).to.equal(true);
  });

  it('Arabic makes ad and labels run from right to left, whatever letters the text begins with', async () => {
    const { page, ...seen } = await show(ARABIC);
    expect(seen).to.include({ lang: 'ar', dir: 'rtl', label: 'إعلان', link: 'معرفة المزيد', labelLang: 'ar' });
    const [card, label, name, link] = await Promise.all(
      ['.ad', '.label', 'b', 'a'].map((part) => page.locator(`adsdk-ad ${part}`).boundingBox()),
    );
    const right = (box: typeof card) => box!.x + box!.width;
    expect(right(card) - right(label)).to.be.within(1, 30);
    expect(right(link), 'the link is under the label').to.be.closeTo(right(label), 2);
    expect(label!.x - right(name), 'a gap between label and name').to.be.within(3, 10);
  });

  it('Arabic puts the label of a native ad on the right, with a gap before the text', async () => {
    const { page, label, lang, dir } = await show(ARABIC, undefined, 'native');
    expect({ label, lang, dir }).to.deep.equal({ label: 'إعلان', lang: 'ar', dir: 'rtl' });
    const [box, name] = await Promise.all(
      ['.label', 'b'].map((part) => page.locator(`adsdk-ad ${part}`).boundingBox()),
    );
    expect(box!.x - (name!.x + name!.width)).to.be.within(3, 10);
  });

  for (const [tag, label, learnMore] of [
    ['en-GB', 'Ad', 'Learn more'],
    ['es', 'Anuncio', 'Más información'],
    ['fr', 'Publicité', 'En savoir plus'],
    ['hi', 'विज्ञापन', 'और जानें'],
    ['it', 'Annuncio', 'Scopri di più'],
    ['ja', '広告', '詳しく見る'],
    ['nl', 'Advertentie', 'Meer informatie'],
    ['pl', 'Reklama', 'Dowiedz się więcej'],
    ['pt-BR', 'Anúncio', 'Saiba mais'],
    ['tr', 'Reklam', 'Daha fazla bilgi'],
    ['zh', '广告', '了解更多'],
    ['zh-TW', '廣告', '了解更多'],
  ] as const) {
    it(`${tag} gives the labels "${label}" and "${learnMore}"`, async () => {
      const { lang, dir, label: saw, link } = await show({ writtenIn: tag });
      expect([lang, dir, saw, link]).to.deep.equal([tag, 'ltr', label, learnMore]);
    });
  }

  for (const tag of ['he', 'fa', 'ur', 'ckb', 'az-Arab']) {
    it(`${tag} makes the ad run from right to left, with English labels that are declared as English`, async () => {
      const seen = await show({ language: tag });
      expect(seen).to.include({ lang: tag, dir: 'rtl', label: 'Ad', labelLang: 'en', link: 'Learn more' });
    });
  }

  it('declared wrongly by the feed does not change the direction of the text', async () => {
    expect(await show({ ...ARABIC, name: 'أحذية', language: 'de' })).to.include({ lang: 'de', dir: 'rtl' });
    await publisher.close();
    expect(await show({ language: 'ar-Latn' })).to.include({ lang: 'ar-Latn', dir: 'ltr' });
  });

  it('is taken from render’s options if the page did not request the ad', async () => {
    creative = { ...boots, imageFile: null };
    const page = await open();
    await page.evaluate(async () => {
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      // As if another page or a server had requested it: the same ad with another request id.
      const other = { ...ad!, impressionUrl: ad!.impressionUrl.replace(/requestId=[^&]+/, 'requestId=other') };
      window.adsdk!.render(other, document.querySelector<HTMLElement>('#slot')!, { language: 'de' });
    });
    expect(await shown(page)).to.include({ lang: 'de', label: 'Anzeige', link: 'Mehr erfahren' });
  });

  it('is not declared if it is unknown, and the labels are English', async () => {
    const seen = await show({});
    expect(seen).to.include({ lang: null, dir: 'ltr', label: 'Ad', labelLang: 'en', link: 'Learn more' });
    expect(seen.title).to.equal('Opens in a new tab');
  });

  for (const tag of ['x-none', '12', 'constructor', '__proto__']) {
    it(`counts as unknown for a tag such as ${tag}`, async () => {
      expect(await show({ language: tag })).to.include({ lang: null, label: 'Ad', link: 'Learn more' });
    });
  }

  it('is kept for a copy, a proxy, and the slots that process fills; the ad has only its documented fields', async () => {
    creative = { ...boots, imageFile: null, ...GERMAN };
    const page = await open();
    const fields = await page.evaluate(async () => {
      const slot = document.querySelector<HTMLElement>('#slot')!;
      const ad = (await window.adsdk!.getAd({ context: 'boots' }))!;
      for (const one of [{ ...ad }, new Proxy(ad, {}), structuredClone(ad)])
        window.adsdk!.render(one, slot, { position: 'suffix' });
      const marked = document.createElement('div');
      marked.setAttribute('data-adsdk-slot', '');
      slot.after(marked);
      const processed = (await window.adsdk!.process({ context: 'boots' }))!;
      return [ad, processed].map(Reflect.ownKeys);
    });
    const documented = ['id', 'name', 'text', 'imageUrl', 'impressionUrl', 'targetUrl', 'score'];
    expect(fields).to.deep.equal([documented, documented]);
    expect(await page.locator('adsdk-ad .label').allInnerTexts()).to.deep.equal(Array(4).fill('Anzeige'));
  });

  it('is unknown, with English labels, if the page made the ad itself', async () => {
    creative = { ...boots, ...GERMAN };
    const page = await open();
    await page.evaluate(async () => {
      const ad = (await window.adsdk!.getAd({ context: 'boots' }))!;
      const made = { ...ad, impressionUrl: `${ad.impressionUrl}&made` };
      window.adsdk!.render(made, document.querySelector<HTMLElement>('#slot')!);
    });
    expect(await shown(page)).to.include({ lang: null, label: 'Ad', link: 'Learn more' });
  });

  describe('with labels given to init', () => {
    it('uses one pair for ads in any language, without declaring the labels’ language', async () => {
      const pair = { ad: 'Sponsored', learnMore: 'Read on' };
      const seen = await show(ARABIC, pair);
      expect(seen).to.include({ lang: 'ar', dir: 'rtl', label: 'Sponsored', labelLang: '', group: 'Sponsored' });
      expect(seen).to.include({ link: 'Read on', linkName: 'Read on: Fellwalk أحذية' });
      await publisher.close();
      expect(await show({}, pair)).to.include({ label: 'Sponsored', link: 'Read on' });
      await publisher.close();
      expect(await show(GERMAN, { ad: 'Sponsored' })).to.include({ label: 'Sponsored', link: 'Mehr erfahren' });
    });

    it('uses those of the ad’s language, the nearest tag first, or else the built-in ones', async () => {
      const labels = {
        de: { ad: 'Werbung' },
        pt: { ad: 'Publicidade' },
        'pt-BR': { ad: 'Patrocinado' },
        he: { ad: 'מודעה', learnMore: 'מידע נוסף' },
        en: { ad: 'Sponsored' },
      };
      for (const [tag, label, labelLang, learnMore] of [
        ['de-AT', 'Werbung', 'de-AT', 'Mehr erfahren'],
        ['pt-BR', 'Patrocinado', 'pt-BR', 'Saiba mais'],
        ['pt-PT', 'Publicidade', 'pt-PT', 'Saiba mais'],
        ['he', 'מודעה', 'he', 'מידע נוסף'],
        ['fr', 'Publicité', 'fr', 'En savoir plus'],
        ['ko', 'Sponsored', 'en', 'Learn more'],
      ] as const) {
        expect(await show({ language: tag }, labels)).to.include({ label, labelLang, link: learnMore });
        if (tag !== 'ko') await publisher.close();
      }
    });

    for (const labels of [7, 'Sponsored', null, [], { ad: 7, learnMore: {} }, { ad: ' ', learnMore: '' }, { de: 7 }]) {
      it(`such as ${JSON.stringify(labels)} uses the built-in ones`, async () => {
        expect(await show(GERMAN, labels)).to.include({ label: 'Anzeige', link: 'Mehr erfahren' });
      });
    }

    it('shows markup in labels as text', async () => {
      const { page, label } = await show(GERMAN, { ad: '<img src=x onerror=alert(1)>' });
      expect(label).to.equal('<img src=x onerror=alert(1)>');
      expect(await page.locator('adsdk-ad img').count()).to.equal(0);
    });

    it('uses none of an earlier init', async () => {
      creative = { ...boots, ...GERMAN };
      const page = await open({ ad: 'Sponsored' });
      await page.evaluate(async (apiKey) => {
        window.adsdk!.init({ apiKey });
        const ad = await window.adsdk!.getAd({ context: 'boots' });
        window.adsdk!.render(ad, document.querySelector<HTMLElement>('#slot')!);
      }, service.key);
      expect(await shown(page)).to.include({ label: 'Anzeige' });
    });
  });
});

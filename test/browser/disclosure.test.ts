import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { MatchRequest } from '../../models/schema/match-request.js';
import type { Creative } from '../../models/schema/creative.js';
import type { MatchOptions, RawAd, Template } from '../../sdk/types.js';
import { boots, startService, type Service } from '../server/http/service.js';
import { checkAccessibility } from '../support/accessibility.js';
import { launchBrowser } from '../support/browser.js';
import { openSite, strictPolicy, type OpenedSite } from '../support/opened-site.js';
import { scriptTag } from '../support/publisher-pages.js';

const TEMPLATES = ['card', 'native'] as const;
const REASON =
  'This ad was chosen by what this conversation is about, not by a profile of you. The ad service does not store the conversation.';

/** Uses the real service, from a page on another origin under the strictest policy. */
describe('The disclosure of an ad', () => {
  let service: Service;
  let browser: Browser;
  let creative: Creative;
  let requests: MatchRequest[];
  let publisher: OpenedSite;
  before(async () => {
    service = await startService({
      decide: async (request) => {
        requests.push(request);
        return { filled: true, creative, score: 0.82 };
      },
    });
    browser = await launchBrowser();
  });
  beforeEach(() => {
    requests = [];
    creative = { ...boots, imageFile: null };
  });
  afterEach(async () => {
    expect(publisher.consoleMessages).to.deep.equal([]);
    await publisher.close();
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  const open = async (disclosure?: boolean, slot = '') => {
    const headers = { 'content-security-policy': `${strictPolicy(service.baseUrl)}; style-src-attr 'unsafe-inline'` };
    const html = `<div data-adsdk-slot id="slot" style="${slot}"></div>${scriptTag(service.baseUrl)}`;
    publisher = await openSite(browser, { html, headers });
    await publisher.page.evaluate(([apiKey, asked]) => window.adsdk!.init({ apiKey, disclosure: asked }), [
      service.key,
      disclosure,
    ] as const);
    return publisher.page;
  };
  const show = (page: Page, template: Template = 'card', options?: Omit<MatchOptions, 'context' | 'messages'>) =>
    page.evaluate(
      async ([given, more]) => {
        const slot = document.querySelector<HTMLElement>('#slot')!;
        slot.setAttribute('data-adsdk-template', given);
        return window.adsdk!.process({ ...more, context: 'boots' });
      },
      [template, options] as const,
    );
  const disclosed = async (fields: Partial<Creative> = {}, template: Template = 'card', slot = '') => {
    Object.assign(creative, fields);
    const page = await open(true, slot);
    await show(page, template);
    return page;
  };
  const question = (page: Page) => page.locator('adsdk-ad summary');
  /** Returns what is displayed of question and answer. */
  const read = (page: Page) => page.locator('adsdk-ad details').innerText();

  for (const template of TEMPLATES) {
    it(`names the advertiser beside "Ad", and says why on request, in a ${template}`, async () => {
      const page = await disclosed({}, template);
      const [label, name] = [page.getByText('Ad', { exact: true }), page.getByText('Fellwalk', { exact: true })];
      const [box, next] = [(await label.boundingBox())!, (await name.boundingBox())!];
      expect(next.x - (box.x + box.width)).to.be.within(2, 16);
      expect(Math.abs(next.y + next.height / 2 - box.y - box.height / 2)).to.be.below(6);
      expect(await read(page)).to.equal('Why this ad?');
      await question(page).click();
      expect((await read(page)).split(/\n+/)).to.deep.equal(['Why this ad?', REASON]);
      await question(page).click();
      expect(await read(page)).to.equal('Why this ad?');
    });

    it(`opens by keyboard, with a focus ring, and neither it nor its answer follows the link of a ${template}`, async () => {
      const page = await disclosed({}, template);
      await page.evaluate(() => {
        const seen: string[] = ((window as unknown as { seen: string[] }).seen = []);
        document.addEventListener('adsdk:click', () => seen.push('click'));
      });
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      expect(await question(page).evaluate((summary) => summary.matches(':focus-visible'))).to.equal(true);
      expect(await question(page).evaluate((summary) => getComputedStyle(summary).outlineStyle)).to.equal('solid');
      await page.keyboard.press('Enter');
      const { height } = (await page.locator('adsdk-ad details').boundingBox())!;
      await page.locator('adsdk-ad details').click({ position: { x: 20, y: height - 10 } });
      expect(await read(page)).to.include(REASON);
      expect(await page.evaluate('seen')).to.deep.equal([]);
      expect(page.context().pages()).to.have.length(1);
    });

    it(`passes axe-core’s WCAG 2.2 AA rules in a ${template}, open and closed`, async () => {
      const page = await disclosed({}, template);
      expect((await checkAccessibility(page)).violations).to.deep.equal([]);
      await question(page).click();
      expect(await checkAccessibility(page)).to.deep.equal({ violations: [], undecided: [] });
    });

    for (const [what, fields, slot] of [
      ['a long name', { advertiser: `${'Donaudampfschifffahrts'.repeat(3)} und Söhne `.repeat(3).slice(0, 200) }, ''],
      ['a name of one word', { advertiser: 'W'.repeat(200) }, ''],
      ['an Arabic name in an English ad', { advertiser: 'شركة فيل ووك للأحذية والملابس '.repeat(7).slice(0, 200) }, ''],
      ['a Latin name in an Arabic ad', { advertiser: 'Fellwalk (Deutschland) GmbH', language: 'ar' }, ''],
      ['a name in a page that runs from right to left', { advertiser: 'Fellwalk Ltd.' }, 'direction: rtl;'],
      ['a Hebrew name of one word', { advertiser: 'ש'.repeat(200) }, ''],
    ] as const) {
      it(`stays within 240 px with ${what}, in a ${template}`, async () => {
        const page = await disclosed(fields, template, `${slot} width: 240px`);
        await question(page).click();
        const boxes = await page.locator('adsdk-ad').evaluate((host) => {
          const slot = document.querySelector('#slot')!.getBoundingClientRect();
          const all = [...host.shadowRoot!.querySelectorAll('*')].map((each) => each.getBoundingClientRect());
          return {
            out: all.filter(({ left, right }) => left < slot.left - 1 || right > slot.right + 1).length,
            sideways: document.documentElement.scrollWidth - innerWidth,
          };
        });
        expect(boxes).to.deep.include({ out: 0 });
        expect(boxes.sideways).to.be.at.most(0);
      });
    }
  }

  it('keeps a gap between label and name where they run in different directions', async () => {
    const page = await disclosed({ advertiser: 'Fellwalk GmbH', language: 'he', name: 'נעליים', text: 'נעליים להרים' });
    const label = (await page.getByText('Ad', { exact: true }).boundingBox())!;
    const name = (await page.getByText('Fellwalk GmbH', { exact: true }).boundingBox())!;
    expect(label.x - (name.x + name.width)).to.be.within(2, 16);
    expect(await question(page).evaluate((summary) => getComputedStyle(summary).direction)).to.equal('ltr');
  });

  it('is in the ad’s language, which it declares', async () => {
    const page = await disclosed({ language: 'de', name: 'Wanderstiefel' });
    expect(await question(page).innerText()).to.equal('Warum diese Anzeige?');
    expect(await page.locator('adsdk-ad details').getAttribute('lang')).to.equal('de');
  });

  it('asks why also if the feed names no advertiser', async () => {
    const page = await disclosed({ advertiser: null });
    expect(await page.locator('adsdk-ad bdi').count()).to.equal(0);
    expect(await question(page).isVisible()).to.equal(true);
  });

  it('shows markup in the name as text', async () => {
    const page = await disclosed({ advertiser: '<img src=x onerror=alert(1)>' });
    expect(await page.getByText('<img src=x onerror=alert(1)>').isVisible()).to.equal(true);
    expect(await page.locator('adsdk-ad img').count()).to.equal(0);
  });

  it('is part of the ad that getAd resolves to, and shown for an ad that the page’s server requested', async () => {
    const page = await open(true);
    const { disclosure } = (await show(page))!;
    expect(disclosure).to.include({ advertiser: 'Fellwalk', payer: null, language: 'en' });
    const ad = (await (await service.match({ context: 'x', disclosure: true })).json()) as RawAd;
    await page.evaluate(
      ([apiKey, given]) => {
        window.adsdk!.init({ apiKey });
        window.adsdk!.render(given, document.querySelector<HTMLElement>('#slot')!);
      },
      [service.key, ad] as const,
    );
    expect(await page.getByText('Fellwalk', { exact: true }).isVisible()).to.equal(true);
  });

  it('is neither requested nor shown without the option, and the ad’s elements are the same as ever', async () => {
    const page = await open();
    expect(await show(page)).not.to.have.property('disclosure');
    expect(requests).to.deep.equal([{ context: 'boots' }]);
    const elements = await page
      .locator('adsdk-ad')
      .evaluate((host) => [...host.shadowRoot!.querySelectorAll('*')].map(({ localName }) => localName));
    expect(elements).to.deep.equal(['div', 'div', 'span', 'b', 'div', 'a']);
    await show(page, 'native');
    expect(await page.locator('adsdk-ad .ad > *').count()).to.equal(2);
  });

  it('is requested with what the request excludes', async () => {
    const page = await open(true);
    const exclude = { creatives: ['a'], advertisers: ['“A”'], categories: [] };
    await show(page, 'card', { exclude });
    await page.evaluate(
      (given) => window.adsdk!.getAd({ messages: [{ role: 'user', content: 'hi' }], exclude: given }),
      exclude,
    );
    expect(requests).to.deep.equal([
      { context: 'boots', exclude, disclosure: true },
      { messages: [{ role: 'user', content: 'hi' }], exclude, disclosure: true },
    ]);
  });
});

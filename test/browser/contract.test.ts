import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startFakeAdServer } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import { publisherPages, recordEvents, scriptTag } from '../support/publisher-pages.js';

/** Requests an ad and renders it into `#slot`. */
const renderInto = (page: Page, options?: object) =>
  page.evaluate(async (given) => {
    const ad = await window.adsdk!.getAd({ context: 'boots' });
    window.adsdk!.render(ad, document.querySelector<HTMLElement>('#slot')!, given);
    return ad;
  }, options);

describe('The script', () => {
  const pages = publisherPages();

  it('posts the context with key and session to the match endpoint', async () => {
    const { page } = await pages.open();
    await page.evaluate(() => window.adsdk!.getAd({ context: 'Which “boots”?\u0000\ud800 \n日本' }));
    const [asked] = pages.network.asked;
    expect(asked!.method).to.equal('POST');
    expect(JSON.parse(asked!.body)).to.deep.equal({ context: 'Which “boots”?\u0000\ufffd \n日本' });
    expect(asked!.headers).to.include({ 'content-type': 'application/json', 'x-api-key': 'pub_test' });
    expect(asked!.headers['x-session-id']).to.match(/^\d+(-\d+){3}$/);
    expect(asked!.headers).not.to.have.property('cookie');
  });

  it('posts messages as separate turns, from getAd and from process', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    await page.evaluate(async () => {
      const messages = [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'My feet were “wet”\nall day' },
        { role: 'assistant', content: [{ type: 'text', text: 'Boots?' }, { type: 'file' }] },
      ] as const;
      await window.adsdk!.getAd({ messages });
      await window.adsdk!.process({ messages });
    });
    expect(pages.network.asked).to.have.length(2);
    for (const { body } of pages.network.asked) {
      expect(JSON.parse(body)).to.deep.equal({
        messages: [
          { role: 'user', content: 'My feet were “wet”\nall day' },
          { role: 'assistant', content: 'Boots?' },
        ],
      });
    }
    expect(await page.locator('adsdk-ad').count()).to.equal(1);
  });

  it('sends only the newest part of a long conversation', async () => {
    const { page } = await pages.open();
    await page.evaluate(() => window.adsdk!.getAd({ context: `${'old '.repeat(50_000)}which boots?` }));
    const { context } = JSON.parse(pages.network.asked[0]!.body) as { context: string };
    expect(context)
      .to.have.length(40_000)
      .and.to.match(/old which boots\?$/);
  });

  it('keeps one session until the page is reloaded, and stores nothing', async () => {
    const { page } = await pages.open();
    const ask = () => page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }));
    await ask();
    await ask();
    await page.reload();
    await ask();
    const [first, second, third] = pages.network.asked.map(({ headers }) => headers['x-session-id']);
    expect(second).to.equal(first);
    expect(third).not.to.equal(first);
    expect(await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])).to.deep.equal([
      '',
      0,
      0,
    ]);
    expect(await page.context().cookies()).to.deep.equal([]);
  });

  it('sends no cookie, even if page and service are the same site', async () => {
    const { page } = await pages.open();
    await page.context().addCookies([{ name: 'login', value: 'secret', url: pages.network.origin }]);
    await page.goto(`${pages.network.origin}/`);
    await page.evaluate(() => window.adsdk!.init({ apiKey: 'pub_test' }));
    await page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }));
    expect(pages.network.asked.at(-1)!.headers).not.to.have.property('cookie');
  });

  it('sends requests to the address that it was loaded from, including a path before /sdk, or to baseUrl', async () => {
    const network = await startFakeAdServer('/ads/eu');
    const hashed = (await (await fetch(`${network.origin}/sdk/integrity.json`)).json()) as {
      file: string;
      integrity: string;
    };
    const pinned = `<script src="${network.origin}/sdk/${hashed.file}" integrity="${hashed.integrity}" crossorigin></script>`;
    const elsewhere = scriptTag(pages.network.origin);
    for (const [tag, baseUrl] of [
      [scriptTag(network.origin), undefined],
      [pinned, undefined],
      [elsewhere, network.origin],
      [elsewhere, `${network.origin}//`],
    ] as const) {
      const { page } = await pages.openBare(tag);
      await page.evaluate((base) => {
        window.adsdk!.init({ apiKey: 'pub_test', baseUrl: base });
        return window.adsdk!.getAd({ context: 'boots' });
      }, baseUrl);
    }
    expect(network.asked).to.have.length(4);
    await network.close();
  });

  it('resolves a request to the ad with all its fields', async () => {
    const { page } = await pages.open();
    const ad = await page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }));
    const base = `${pages.network.origin}/api/v1/public/creatives`;
    expect(ad).to.deep.equal({
      id: 'boots-1',
      name: 'Fellwalk Boots',
      text: 'Waterproof boots for long days in the hills, resoled free for ten years.',
      imageUrl: `${base}/images/boots.svg`,
      impressionUrl: `${base}/beacon?requestId=r1`,
      targetUrl: `${base}/target/boots-1?requestId=r1`,
      score: 0.82,
    });
  });

  it('renders a card in a shadow root: image, "Ad", title, description, "Learn more"', async () => {
    const { page } = await pages.open('<div id="slot"></div>');
    const ad = await renderInto(page);
    expect(
      await page.locator('#slot > *').evaluate((host) => host.shadowRoot !== null && host.childNodes.length === 0),
    ).to.equal(true);
    const card = page.locator('#slot .ad');
    expect(await card.locator('img').getAttribute('src')).to.equal(ad!.imageUrl);
    for (const words of ['Ad', ad!.name, ad!.text!, 'Learn more']) {
      expect(await card.getByText(words, { exact: true }).isVisible(), words).to.equal(true);
    }
    const link = card.getByRole('link');
    expect(await link.count()).to.equal(1);
    expect(await link.getAttribute('href')).to.equal(ad!.targetUrl);
  });

  it('renders native as a compact inline text link, without image', async () => {
    const { page } = await pages.open('<p>Before <span id="slot"></span> after</p>');
    const ad = await renderInto(page, { template: 'native' });
    const slot = page.locator('#slot');
    expect(await slot.locator('img').count()).to.equal(0);
    expect(await slot.getByText('Ad', { exact: true }).isVisible()).to.equal(true);
    const link = slot.getByRole('link');
    expect(await link.getAttribute('href')).to.equal(ad!.targetUrl);
    expect(await link.innerText()).to.contain(ad!.name);
    expect(await page.locator('adsdk-ad').evaluate((host) => getComputedStyle(host).display)).to.equal('inline');
  });

  for (const [position, expected] of [
    [undefined, ['AD']],
    ['inline', ['AD']],
    ['suffix', ['own', 'words', 'AD']],
    ['prefix', ['AD', 'own', 'words']],
  ] as const) {
    it(`renders with position ${position ?? 'left out'} so that the slot holds ${expected.join(' ')}`, async () => {
      const { page } = await pages.open('<div id="slot"><b>own</b><b>words</b></div>');
      await renderInto(page, position && { position });
      const children = await page
        .locator('#slot > *')
        .evaluateAll((all) => all.map((child) => (child.shadowRoot ? 'AD' : child.textContent)));
      expect(children).to.deep.equal(expected);
    });
  }

  it('opens clicks in a new tab, with rel sponsored and noopener, and dispatches an event to the page', async () => {
    const { page } = await pages.open('<div id="slot"></div>');
    await renderInto(page);
    const link = page.locator('#slot').getByRole('link');
    expect(await link.getAttribute('rel')).to.equal('sponsored noopener');
    const clicked = page.evaluate(
      () => new Promise((resolve) => document.addEventListener('adsdk:click', (event) => resolve(event.detail.id))),
    );
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('#slot img').click({ force: true }),
    ]);
    await tab.waitForLoadState();
    expect(await tab.title()).to.equal('The advertiser');
    expect(await tab.evaluate(() => window.opener as unknown)).to.equal(null);
    expect(await clicked).to.equal('boots-1');
    expect(pages.network.events.filter((event) => event.startsWith('click'))).to.deep.equal(['click r1']);
  });

  it('dispatches an event for a click with the middle button too, but not with the right one, which opens nothing', async () => {
    const { page } = await pages.open('<div id="slot"></div>');
    await renderInto(page);
    const events = await recordEvents(page);
    const link = page.locator('#slot').getByRole('link');
    await link.evaluate((element) => element.dispatchEvent(new MouseEvent('auxclick', { button: 2 })));
    expect(await events()).to.not.include('click boots-1');
    await link.click({ button: 'middle' });
    await eventually(async () => expect(await events()).to.include('click boots-1'));
  });

  it('renders with its style into another document of the same origin, such as another window’s', async () => {
    const { page } = await pages.open('<iframe width="700" height="400"></iframe>');
    const display = await page.evaluate(async () => {
      const { body } = document.querySelector('iframe')!.contentDocument!;
      const host = window.adsdk!.render(await window.adsdk!.getAd({ context: 'boots' }), body)!;
      return host.ownerDocument.defaultView!.getComputedStyle(host.shadowRoot!.querySelector('.ad')!).display;
    });
    expect(display).to.equal('flex');
    await eventually(() => expect(pages.network.events).to.deep.equal(['impression r1', 'view r1']));
  });

  it('fetches one ad for all slots on process, renders it in each slot’s template, and calls onFill once', async () => {
    const { page } = await pages.open(
      '<div data-adsdk-slot></div><div data-adsdk-slot data-adsdk-template="card"></div>' +
        '<div data-adsdk-slot data-adsdk-template="native"></div><div data-adsdk-slot data-adsdk-template="poster"></div><div></div>',
    );
    const fills = await page.evaluate(async () => {
      const seen: string[] = [];
      await window.adsdk!.process({ context: 'boots', onFill: (ad) => seen.push(ad.id) });
      return seen;
    });
    expect(fills).to.deep.equal(['boots-1']);
    expect(pages.network.asked).to.have.length(1);
    const templates = await page
      .locator('adsdk-ad')
      .evaluateAll((hosts) => hosts.map((host) => (host.shadowRoot!.querySelector('img') ? 'card' : 'native')));
    expect(templates).to.deep.equal(['card', 'card', 'native', 'card']);
  });

  const VARIABLES =
    '--adsdk-bg:#010203;--adsdk-text:#fafbfc;--adsdk-accent:#ffd700;--adsdk-border:#00ff01;--adsdk-radius:3px';
  for (const where of ['slot', 'ancestor']) {
    it(`takes its style variables from the ${where}`, async () => {
      const [outer, inner] = where === 'slot' ? ['', VARIABLES] : [VARIABLES, ''];
      const { page } = await pages.open(`<div style="${outer}"><div id="slot" style="${inner}"></div></div>`);
      await renderInto(page);
      const style = await page.locator('#slot .ad').evaluate((card) => {
        const { backgroundColor, color, borderTopColor, borderTopLeftRadius } = getComputedStyle(card);
        return [
          backgroundColor,
          color,
          borderTopColor,
          borderTopLeftRadius,
          getComputedStyle(card.querySelector('a')!).color,
        ];
      });
      expect(style).to.deep.equal(['rgb(1, 2, 3)', 'rgb(250, 251, 252)', 'rgb(0, 255, 1)', '3px', 'rgb(255, 215, 0)']);
    });
  }

  it('renders ads whose styles neither affect the page nor are affected by it', async () => {
    const { page } = await pages.open(
      '<style>b, span, a, img, .ad, .label, .body, adsdk-ad { color: red !important; border: 9px solid red !important; letter-spacing: 9px }</style>' +
        '<div id="slot"></div><a class="ad" href="#">the page’s own link</a>',
    );
    await renderInto(page);
    const inside = await page.locator('#slot').evaluate((slot) =>
      [slot.firstElementChild!, ...slot.firstElementChild!.shadowRoot!.querySelectorAll('*')].map((element) => {
        const { color, borderTopWidth, letterSpacing } = getComputedStyle(element);
        return color === 'rgb(255, 0, 0)' || borderTopWidth === '9px' || letterSpacing === '9px';
      }),
    );
    expect(inside).to.not.include(true);
    expect(
      await page
        .locator('a.ad')
        .last()
        .evaluate((link) => getComputedStyle(link).display),
    ).to.equal('inline');
  });

  it('renders ads as an ES module too', async () => {
    const { page } = await pages.openBare(
      `<div id="slot"></div><script type="module">
         import adsdk, { AdsdkError } from '${pages.network.origin}/sdk/adsdk.mjs';
         adsdk.init({ apiKey: 'pub_test' });
         const ad = await adsdk.getAd({ context: 'boots' });
         adsdk.render(ad, document.querySelector('#slot'));
         document.addEventListener('adsdk:error', (event) => (window.typed = event.detail instanceof AdsdkError));
         adsdk.render({}, document.querySelector('#slot'));
       </script>`,
    );
    await page.locator('#slot .ad').waitFor();
    await eventually(() => expect(pages.network.events).to.deep.equal(['impression r1']));
    expect(await page.evaluate('[window.typed, typeof window.adsdk]')).to.deep.equal([true, 'undefined']);
  });
});

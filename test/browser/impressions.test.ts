import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { recordEvents, publisherPages } from '../support/publisher-pages.js';

/** How long to wait after the expected events for events that must not come. */
const ANOTHER_MS = 500;
const process = (page: Page) => page.evaluate(() => window.adsdk!.process({ context: 'boots' }));

describe('The impression of an ad', () => {
  const pages = publisherPages();
  const counted = () => pages.network.events.filter((event) => event.startsWith('impression')).toSorted();
  /** Expects these impressions, and no others. */
  const expectImpressions = async (...expected: string[]) => {
    await eventually(() => expect(counted()).to.deep.equal(expected));
    await pause(ANOTHER_MS);
    expect(counted()).to.deep.equal(expected);
  };

  /** Makes the page believe that the browser prerenders it; `show` then shows it. */
  const prerender = (page: Page) =>
    page.evaluate(() => Object.defineProperty(document, 'prerendering', { value: true, configurable: true }));
  const show = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'prerendering', { value: false });
      document.dispatchEvent(new Event('prerenderingchange'));
    });

  it('is loaded once for an ad in four slots and in both templates', async () => {
    const { page } = await pages.open(
      '<div data-adsdk-slot></div><div data-adsdk-slot data-adsdk-template="native"></div>'.repeat(2),
    );
    const events = await recordEvents(page);
    await process(page);
    await expectImpressions('impression r1');
    expect((await events()).filter((line) => line.startsWith('impression'))).to.have.length(1);
    expect((await events()).filter((line) => line.startsWith('fill'))).to.have.length(4);
  });

  it('is loaded when a prerendered page is shown', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div><div data-adsdk-slot></div>');
    const events = await recordEvents(page);
    const impressionEvents = async () => (await events()).filter((line) => line.startsWith('impression'));
    await prerender(page);
    await process(page);
    await pause(ANOTHER_MS);
    expect([counted(), await impressionEvents()]).to.deep.equal([[], []]);
    await show(page);
    await expectImpressions('impression r1');
    expect(await impressionEvents()).to.have.length(1);
  });

  it('is not loaded in a prerendered page for an ad that was removed before, unless it is rendered again', async () => {
    const { page } = await pages.open('<div id="one"></div>');
    const events = await recordEvents(page);
    await prerender(page);
    const ad = await page.evaluate(async () => {
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      window.adsdk!.destroy(window.adsdk!.render(ad, document.getElementById('one')!)!);
      return ad;
    });
    await show(page);
    await expectImpressions();
    expect(await events()).to.deep.equal(['fill boots-1']);
    await page.evaluate((shown) => window.adsdk!.render(shown, document.getElementById('one')!), ad);
    await expectImpressions('impression r1');
  });

  it('is loaded once for an ad that is rendered again, elsewhere and after destroy', async () => {
    const { page } = await pages.open('<div id="one"></div><div id="two"></div>');
    await page.evaluate(async () => {
      const [one, two] = ['one', 'two'].map((id) => document.getElementById(id)!);
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      for (const element of [one!, one!, two!]) window.adsdk!.render(ad, element);
      window.adsdk!.destroy(one!);
      window.adsdk!.render({ ...ad! }, one!, { position: 'suffix' });
    });
    await expectImpressions('impression r1');
  });

  it('is loaded once for an ad rendered by both builds of the script on one page', async () => {
    const { page } = await pages.open('<div id="one"></div><div id="two"></div>');
    await page.evaluate(async (url) => {
      const { default: second } = (await import(url)) as { default: NonNullable<typeof window.adsdk> };
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      window.adsdk!.render(ad, document.getElementById('one')!);
      second.render(ad, document.getElementById('two')!);
    }, `${pages.network.origin}/sdk/adsdk.mjs`);
    await expectImpressions('impression r1');
  });

  it('is loaded for each response: another request id is another impression', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    await process(page);
    await process(page);
    await expectImpressions('impression r1', 'impression r2');
  });

  it('is not loaded for an ad that was fetched and never rendered', async () => {
    const { page } = await pages.open('<div id="one"></div>');
    await page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }));
    await pause(ANOTHER_MS);
    expect(pages.network.events).to.deep.equal([]);
  });

  it('is retried once when its pixel could not be loaded', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    let tries = 0;
    await page.route(/beacon.*requestId=r1$/, (route) => (tries++ === 0 ? route.abort() : route.continue()));
    const events = await recordEvents(page);
    await process(page);
    await eventually(() => expect(counted()).to.deep.equal(['impression r1']));
    expect(tries).to.equal(2);
    await eventually(async () => expect(await events()).to.include('impression boots-1'));
  });

  it('is not reported to the page, and neither is its view, if a blocker stops the pixels', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    let tries = 0;
    await page.route(/beacon/, (route) => (tries++, route.abort()));
    const events = await recordEvents(page);
    await process(page);
    await eventually(() => expect(tries).to.equal(4));
    await pause(ANOTHER_MS);
    expect(await events()).to.deep.equal(['fill boots-1']);
  });

  it('is reported on the document if the ad has left the page when the pixel is loaded', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    const events = await recordEvents(page);
    await page.evaluate(async () => {
      await window.adsdk!.process({ context: 'boots' });
      window.adsdk!.destroy(document.body);
    });
    await expectImpressions('impression r1');
    expect(await events()).to.deep.equal(['fill boots-1', 'impression boots-1']);
  });

  it('is loaded without cookies, even if page and service are the same site', async () => {
    // Another port is another origin of the same site, to which a browser would send its cookies.
    const { page } = await pages.open();
    await page.context().addCookies([{ name: 'login', value: 'secret', url: pages.network.origin }]);
    const sent = page.waitForRequest(/beacon/);
    await page.evaluate(async () => {
      window.adsdk!.render(await window.adsdk!.getAd({ context: 'boots' }), document.body);
    });
    const headers = await (await sent).allHeaders();
    expect(headers).to.include({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'image' }).and.not.have.property('cookie');
    await expectImpressions('impression r1');
  });

  for (const [template, slot] of [
    ['card', '<div data-adsdk-slot></div>'],
    ['native', '<p><span data-adsdk-slot data-adsdk-template="native"></span></p>'],
  ]) {
    it(`is loaded for a ${template} in an element that is not displayed when it is displayed in view`, async () => {
      const { page } = await pages.open(`<div id="box" hidden>${slot}</div>`);
      const display = (style: string) =>
        page.evaluate((css) => {
          const box = document.getElementById('box')!;
          box.hidden = false;
          box.setAttribute('style', css);
        }, style);
      await process(page);
      await expectImpressions();
      await display('margin-top: 2000px');
      await expectImpressions();
      await page.locator('adsdk-ad .label').scrollIntoViewIfNeeded();
      await expectImpressions('impression r1');
      await display('display: none');
      await display('');
      await expectImpressions('impression r1');
    });
  }

  it('is loaded at once for an ad below the fold, or with visibility: hidden', async () => {
    for (const style of ['margin-top: 2000px', 'visibility: hidden']) {
      const { page } = await pages.open(`<div data-adsdk-slot style="${style}"></div>`);
      await process(page);
      await eventually(() => expect(counted(), style).to.deep.equal(['impression r1']));
      pages.network.reset();
    }
  });
});

describe('A view', () => {
  const pages = publisherPages();
  const views = () => pages.network.events.filter((event) => event.startsWith('view'));
  /** Opens a page whose clock is stopped, so that the test controls when a second has passed. */
  const open = async (html: string) => {
    const publisher = await pages.open(html);
    await publisher.page.clock.install({ time: 0 });
    await publisher.page.clock.pauseAt(1000);
    await process(publisher.page);
    await observed(publisher.page);
    return publisher.page;
  };
  /**
   * Waits for two frames, after which an IntersectionObserver has reported. They are real ones: the clock does not stop
   * them.
   */
  const observed = (page: Page) => page.screenshot().then(() => page.screenshot());
  const pass = async (page: Page, milliseconds: number) => {
    await page.clock.runFor(milliseconds);
    await pause(ANOTHER_MS);
  };
  /** Does what the browser does when the reader switches to another tab and back. */
  const hide = async (page: Page, hidden: boolean) => {
    await page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    await observed(page);
  };
  const BELOW = '<div id="above" style="height: 2000px"></div>';

  it('is counted once for all slots when half of the ad was in view for a second', async () => {
    const page = await open('<div data-adsdk-slot></div><div data-adsdk-slot></div>');
    await pass(page, 999);
    expect(views()).to.deep.equal([]);
    await pass(page, 1);
    await eventually(() => expect(views()).to.deep.equal(['view r1']));
    await pass(page, 5000);
    expect(views()).to.deep.equal(['view r1']);
  });

  it('is not counted below the fold, and is counted after scrolling there', async () => {
    const page = await open(`${BELOW}<div data-adsdk-slot></div>`);
    await pass(page, 5000);
    expect(views()).to.deep.equal([]);
    await page.locator('.ad').scrollIntoViewIfNeeded();
    await observed(page);
    await pass(page, 1000);
    await eventually(() => expect(views()).to.deep.equal(['view r1']));
  });

  it('is not counted when the ad went out of view before the second was over', async () => {
    const page = await open(`<div data-adsdk-slot></div>${BELOW}`);
    await pass(page, 900);
    await page.evaluate(() => scrollTo(0, 1500));
    await observed(page);
    await pass(page, 5000);
    expect(views()).to.deep.equal([]);
  });

  it('is not counted when the ad was destroyed before the second was over', async () => {
    const page = await open('<div data-adsdk-slot></div>');
    await pass(page, 900);
    await page.evaluate(() => window.adsdk!.destroy(document.body));
    await observed(page);
    await pass(page, 5000);
    expect(views()).to.deep.equal([]);
  });

  it('leaves an ad that was removed to the garbage collector', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    await process(page);
    await eventually(() => expect(views()).to.deep.equal(['view r1']));
    await page.evaluate(() => {
      Object.assign(window, { removed: new WeakRef(document.querySelector('adsdk-ad')!) });
      window.adsdk!.destroy(document.body);
    });
    const devtools = await page.context().newCDPSession(page);
    await eventually(async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      expect(await page.evaluate('removed.deref() === undefined')).to.equal(true);
    });
  });

  it('is not counted with less than half of the ad in view', async () => {
    const page = await open('<div style="height: 30px; overflow: hidden"><div data-adsdk-slot></div></div>');
    await pass(page, 5000);
    expect(views()).to.deep.equal([]);
  });

  it('is not counted while the tab is hidden, and is counted a second after it is shown', async () => {
    const page = await open('<div data-adsdk-slot></div>');
    await hide(page, true);
    await pass(page, 1500);
    expect(views()).to.deep.equal([]);
    await hide(page, false);
    await pass(page, 999);
    expect(views()).to.deep.equal([]);
    await pass(page, 1);
    await eventually(() => expect(views()).to.deep.equal(['view r1']));
  });

  it('is not counted when the tab was hidden for part of the second, and is counted a second after that', async () => {
    const page = await open('<div data-adsdk-slot></div>');
    await pass(page, 900);
    await hide(page, true);
    await pass(page, 50);
    await hide(page, false);
    await pass(page, 999);
    expect(views()).to.deep.equal([]);
    await pass(page, 1);
    await eventually(() => expect(views()).to.deep.equal(['view r1']));
  });
});

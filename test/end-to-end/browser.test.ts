import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Installation } from '../support/installation.js';
import { NO_AD, OBVIOUS } from '../support/obvious.js';
import { openSite, strictPolicy, type OpenedSite } from '../support/opened-site.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The main job through the script: a publisher's page on its own origin, under a strict policy, in a real browser. */
describe('the whole system in a browser', function () {
  this.timeout(120_000);
  const adjacent = new Installation(temporaryDirectory());
  let browser: Browser;
  let publisher: OpenedSite;
  let key: string;
  let service: string;

  before(async () => {
    await copySampleIndex(adjacent.dataDir);
    key = await adjacent.createKey('--publisher', 'Page');
    const { origin } = await adjacent.serve();
    service = origin;
    browser = await launchBrowser();
    publisher = await openSite(browser, {
      html: `<div id="chat"></div><div data-adsdk-slot></div><div data-adsdk-slot data-adsdk-template="native"></div>
        <script src="${origin}/sdk/adsdk.js"></script><script src="page.js"></script>`,
      headers: { 'content-security-policy': strictPolicy(origin) },
      files: { 'page.js': `adsdk.init({ apiKey: '${key}' })` },
    });
  });
  after(async () => {
    await publisher.close();
    await browser.close();
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  });
  const counted = async () => {
    const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', '');
    return (JSON.parse(out) as { total: Record<string, unknown> }).total;
  };

  it('shows the relevant ad, and counts its impression and its click', async () => {
    const { page } = publisher;
    const [context, creative] = OBVIOUS[2]!;
    const ad = await page.evaluate(async (context) => {
      const ad = await window.adsdk!.getAd({ context });
      window.adsdk!.render(ad, document.getElementById('chat')!);
      return ad;
    }, context);
    expect(ad!.id).to.equal(creative);
    await eventually(async () => expect(await counted()).to.include({ fills: 1, impressions: 1, clicks: 0 }));
    // Playwright's locators see into shadow roots, so this asserts what a person sees.
    const card = page.locator('#chat');
    expect(await card.getByText(ad!.name).isVisible()).to.equal(true);
    expect(await card.getByText('Ad', { exact: true }).isVisible()).to.equal(true);

    const tabs = page.context();
    const [redirect, landing] = await Promise.all([
      tabs.waitForEvent('response', (response) => response.url() === ad!.targetUrl),
      tabs.waitForEvent('page'),
      card.getByText('Learn more').click(),
    ]);
    expect(redirect.status()).to.equal(302);
    expect(redirect.headers()['location']).to.match(/^https:\/\/[a-z0-9-]+\.example\//);
    await landing.close();
    await eventually(async () => expect(await counted()).to.include({ impressions: 1, clicks: 1 }));
  });

  it('fills every marked slot with one ad and counts one impression for it', async () => {
    const { page } = publisher;
    const before = await counted();
    const filled = await page.evaluate(
      (context) =>
        new Promise<string>((resolve, reject) => {
          void window.adsdk!.process({
            context,
            onFill: (ad) => resolve(ad.id),
            onNoFill: () => reject(),
            onError: reject,
          });
        }),
      OBVIOUS[7]![0],
    );
    expect(filled).to.equal(OBVIOUS[7]![1]);
    expect(await page.locator('[data-adsdk-slot]').getByText('Ad', { exact: true }).count()).to.equal(2);
    await eventually(async () => expect((await counted())['impressions']).to.equal(Number(before['impressions']) + 1));
  });

  it('counts as a browser for a browser-only key, unless its user agent is headless', async () => {
    const browserKey = await adjacent.createKey('--publisher', 'Browsers', '--mode', 'browser');
    const html = `<div id="chat"></div><script src="${service}/sdk/adsdk.js"></script>`;
    const userAgent = (await publisher.page.evaluate(() => navigator.userAgent)).replace('HeadlessChrome', 'Chrome');
    const ofPublisher = async () => {
      const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', 'publisher');
      const { rows } = JSON.parse(out) as { rows: Record<string, unknown>[] };
      return rows.find((row) => row['publisher'] === 'Browsers');
    };
    for (const options of [{}, { userAgent }]) {
      const { page, close } = await openSite(browser, { html }, options);
      try {
        await page.evaluate((apiKey) => window.adsdk!.init({ apiKey }), browserKey);
        // A new key is live within a second. This ad differs from the first visitor's, because a second click within
        // five seconds is rapid.
        const getAd = () =>
          page.evaluate((context) => window.adsdk!.getAd({ context }).catch(() => null), OBVIOUS[5]![0]);
        let ad: Awaited<ReturnType<typeof getAd>> = null;
        await eventually(async () => expect((ad = await getAd())).not.to.equal(null));
        await Promise.all([
          page.waitForResponse(ad!.impressionUrl),
          page.evaluate((shown) => void window.adsdk!.render(shown, document.getElementById('chat')!), ad),
        ]);
        // The time that a person needs to click, from the arrival of the beacon, which may be late.
        await pause(1000);
        await Promise.all([page.context().waitForEvent('page'), page.getByText('Learn more').click()]);
      } finally {
        await close();
      }
    }
    await eventually(async () => {
      const row = await ofPublisher();
      expect(row, JSON.stringify(row)).to.include({ impressions: 1, clicks: 1 });
      expect((row!['ignored'] as Record<string, number>)['not-browser']).to.be.at.least(2);
    }, 20_000);
  });

  it('shows no ad if none is relevant', async () => {
    const ad = await publisher.page.evaluate((context) => window.adsdk!.getAd({ context }), NO_AD[0]!);
    expect(ad).to.equal(null);
  });

  it('causes no policy violation and no console message', () => {
    expect(publisher.consoleMessages).to.deep.equal([]);
  });
});

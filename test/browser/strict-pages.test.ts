import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { fill, noFill, startFakeAdServer, type FakeAdServer } from '../support/fake-ad-server.js';
import { launchBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { openSite, strictPolicy } from '../support/opened-site.js';

describe('A page under the strictest policy', () => {
  let browser: Browser;
  let network: FakeAdServer;
  before(async () => {
    browser = await launchBrowser();
    network = await startFakeAdServer();
  });
  beforeEach(() => network.reset());
  after(async () => {
    await browser.close();
    await network.close();
  });

  /** The page's own script as a file, since such a page runs no inline script. */
  const PAGE_SCRIPT = `
    window.violations = [];
    addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
    adsdk.init({ apiKey: 'pub_test' });
    adsdk.process({
      context: 'boots for the hills',
      onFill: () => document.body.dataset.outcome = 'fill',
      onNoFill: () => document.body.dataset.outcome = 'no-fill',
      onError: (error) => document.body.dataset.outcome = error.code,
    });`;
  const SLOTS =
    '<div data-adsdk-slot id="card"></div><p>Read on: <span data-adsdk-slot data-adsdk-template="native"></span></p>';

  const open = () =>
    openSite(browser, {
      html: `${SLOTS}<script src="${network.origin}/sdk/adsdk.js"></script><script src="page.js"></script>`,
      headers: { 'content-security-policy': strictPolicy(network.origin) },
      files: { 'page.js': PAGE_SCRIPT },
    });

  it('shows styled ads with an image, without a violation or a console message', async () => {
    const { page, consoleMessages, close } = await open();
    await page.locator('[data-outcome=fill]').waitFor();
    await page.locator('#card img').waitFor();
    const card = page.locator('#card .ad');
    expect(await card.evaluate((ad) => getComputedStyle(ad).display)).to.equal('flex');
    expect(
      await card.locator('img').evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).to.equal(192);
    expect(await page.locator('[data-adsdk-template] a').innerText()).to.contain('Fellwalk Boots');
    await eventually(() => expect(network.events).to.deep.equal(['impression r1', 'view r1']));
    expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).to.deep.equal([]);
    expect(consoleMessages).to.deep.equal([]);
    await close();
  });

  it('gets no console message if there is no ad', async () => {
    network.respond(noFill());
    const { page, consoleMessages, close } = await open();
    await page.locator('[data-outcome=no-fill]').waitFor();
    expect(consoleMessages).to.deep.equal([]);
    await close();
  });

  it('blocks inline styles and markup, which shows that the policy is in force', async () => {
    const { page, close } = await open();
    const stopped = await page.evaluate(() => {
      document.body.setAttribute('style', 'color: red');
      try {
        document.body.innerHTML = '<b>markup</b>';
        return 'markup went through';
      } catch {
        return getComputedStyle(document.body).color;
      }
    });
    expect(stopped).to.equal('rgb(0, 0, 0)');
    await close();
  });

  it('shows markup in a creative as text', async () => {
    const name = '<img src=x onerror="document.body.dataset.hacked=1">';
    const text = '<script>document.body.dataset.hacked=1</script> &amp; "quotes"';
    network.respond(fill({ name, text }));
    const { page, consoleMessages, close } = await open();
    await page.locator('[data-outcome=fill]').waitFor();
    expect(await page.locator('#card .ad').innerText())
      .to.contain(name)
      .and.to.contain(text);
    expect(await page.locator('#card .ad img').count()).to.equal(1);
    expect(await page.locator('[data-hacked]').count()).to.equal(0);
    expect(consoleMessages).to.deep.equal([]);
    await close();
  });

  for (const field of ['targetUrl', 'impressionUrl', 'imageUrl']) {
    for (const url of [
      'javascript:document.body.dataset.hacked=1',
      'data:text/html,x',
      ' javascript:1',
      '//evil',
      'blob:x',
    ]) {
      it(`refuses an ad whose ${field} is ${url}`, async () => {
        network.respond(fill({ [field]: url }));
        const { page, close } = await open();
        await page.locator('[data-outcome=invalid-ad]').waitFor();
        expect(await page.locator('adsdk-ad').count()).to.equal(0);
        expect(network.events).to.deep.equal([]);
        await close();
      });
    }
  }
});

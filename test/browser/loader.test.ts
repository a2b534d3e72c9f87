import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { publisherPages, scriptTag } from '../support/publisher-pages.js';

const built = readFileSync(new URL('../../sdk/public/loader.js', import.meta.url), 'utf8');
const STUB = built.replace(/\n\/\/# .*\s*$/, '');

/** Calls that a page may make before the script is loaded. */
const CALLS = `
  adsdk.init({ apiKey: 'pub_test' });
  adsdk.process({ context: 'boots', onFill: (ad) => (document.body.dataset.filled = ad.id) });
  adsdk.getAd({ context: 'boots' }).then((ad) => (document.body.dataset.got = ad ? ad.id : 'null'));`;

describe('The loader stub', () => {
  const pages = publisherPages();
  const open = (src: string) =>
    pages.openBare(
      `<div data-adsdk-slot></div><script>${STUB}</script><script>${CALLS}</script><script async src="${src}"></script>`,
    );

  it('has at most 300 bytes, and the documentation has it as built', () => {
    expect(Buffer.byteLength(STUB)).to.be.at.most(300);
    expect(readFileSync(new URL('../../../sdk/GUIDE.md', import.meta.url), 'utf8')).to.contain(STUB);
  });

  it('queues calls until the script is loaded, which then makes them in order', async () => {
    const { page, consoleMessages } = await open(`${pages.network.origin}/sdk/adsdk.js`);
    await page.locator('body[data-filled=boots-1][data-got=boots-1]').waitFor();
    expect(pages.network.asked.map(({ headers }) => headers['x-api-key'])).to.deep.equal(['pub_test', 'pub_test']);
    expect(consoleMessages).to.deep.equal([]);
  });

  it('works for code that kept a reference to it, once the script is loaded', async () => {
    const { page } = await pages.openBare(
      `<script>${STUB} var kept = adsdk; ${CALLS}</script><script src="${pages.network.origin}/sdk/adsdk.js"></script>`,
    );
    const ad = await page.evaluate('kept.getAd({ context: "boots" })');
    expect(ad).to.have.property('id', 'boots-1');
  });

  it('makes no call, except init, that it has already resolved to null when the script is loaded later', async () => {
    const { page, consoleMessages } = await pages.openBare(
      `<div data-adsdk-slot></div><script>${STUB}</script><script>${CALLS}</script>`,
    );
    await page.locator('body[data-got=null]').waitFor();
    await page.addScriptTag({ url: `${pages.network.origin}/sdk/adsdk.js` });
    const ad = await page.evaluate(() => window.adsdk!.getAd({ context: 'sandals' }));
    expect(ad).to.have.property('id', 'boots-1');
    expect(pages.network.asked.map(({ body }) => body)).to.deep.equal(['{"context":"sandals"}']);
    expect(await page.locator('adsdk-ad').count()).to.equal(0);
    expect(consoleMessages).to.deep.equal([]);
  });

  it('is not misled to another server by an image in the page’s text that has the script’s name', async () => {
    const { page } = await pages.openBare(
      `<img name="currentScript" src="https://elsewhere.example/sdk/adsdk.js">` +
        `<script src="${pages.network.origin}/sdk/adsdk.js"></script>`,
    );
    const code = await page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('adsdk:error', (event) => resolve(event.detail.code));
          window.adsdk!.init({ apiKey: 'pub_test' });
          void window.adsdk!.getAd({ context: 'boots' });
        }),
    );
    expect(code).to.equal('not-initialised');
  });

  it('works on a page that has an element with the id adsdk', async () => {
    const { page, consoleMessages } = await pages.openBare(
      `<div id="adsdk" data-adsdk-slot></div><script>${STUB}${CALLS}</script>${scriptTag(pages.network.origin)}`,
    );
    await page.locator('body[data-filled=boots-1][data-got=boots-1]').waitFor();
    expect(consoleMessages).to.deep.equal([]);
  });

  it('leaves a script alone that is already there, and an earlier copy of the stub with its calls', async () => {
    const { page } = await pages.openBare(
      `${scriptTag(pages.network.origin)}<script>const loaded = adsdk; ${STUB} document.body.dataset.same = loaded === adsdk</script>`,
    );
    expect(await page.locator('body').getAttribute('data-same')).to.equal('true');
    const { page: twice } = await pages.openBare(
      `<div data-adsdk-slot></div><script>${STUB}${CALLS}${STUB}</script>${scriptTag(pages.network.origin)}`,
    );
    await twice.locator('body[data-filled=boots-1][data-got=boots-1]').waitFor();
  });

  it('resolves to null if the script never loads, as behind an ad blocker', async () => {
    const { page, consoleMessages } = await open(`${pages.network.origin}/sdk/blocked.js`);
    await page.locator('body[data-got=null]').waitFor();
    expect(consoleMessages.filter((line) => line.startsWith('exception'))).to.deep.equal([]);
  });
});

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { fill } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import { KEY, publisherPages, scriptTag } from '../support/publisher-pages.js';

const GUIDE = readFileSync(new URL('../../../sdk/GUIDE.md', import.meta.url), 'utf8');
const MESSAGES = JSON.stringify([{ role: 'user', content: 'Which boots?' }]);
const SLOT = '<div id="slot" data-adsdk-slot></div>';

/** Runs the guide's code as it stands, with this server's address and a key in it. */
describe('The guide’s code', () => {
  const pages = publisherPages();
  const code = (part: string) => {
    const blocks = [...GUIDE.matchAll(/```(?:html|js)\n(.*?)```/gs)].map(([, block]) => block!);
    const found = blocks.find((block) => block.includes(part)) ?? expect.fail(`not in the guide: ${part}`);
    return found.replaceAll('https://ads.example', pages.network.origin).replaceAll('pub_…', KEY);
  };
  const openWith = async (part: string, then = '') => {
    const publisher = await pages.open(SLOT);
    await publisher.page.addScriptTag({ content: `${code(part)};${then}` });
    return publisher;
  };

  it('shows an ad on a page', async () => {
    const { page, consoleMessages } = await pages.openBare(code('window.adsdk?.process('));
    await page.locator('adsdk-ad').waitFor();
    expect((JSON.parse(pages.network.asked[0]!.body) as { messages: object[] }).messages).to.have.length(3);
    expect(consoleMessages).to.deep.equal([]);
  });

  it('shows the newest turn’s ad in a chat', async () => {
    const { page, consoleMessages } = await openWith(
      'onMessage',
      `const writeReply = () => new Promise((resume) => setTimeout(resume, 100));
       onMessage(${MESSAGES}, document.querySelector('#slot')); onMessage(${MESSAGES}, document.querySelector('#slot'));`,
    );
    await page.locator('adsdk-ad').waitFor();
    expect(await page.locator('adsdk-ad').count()).to.equal(1);
    const impressions = () => pages.network.events.filter((event) => event.startsWith('impression'));
    await eventually(() => expect(impressions()).to.have.length(1));
    expect(consoleMessages).to.deep.equal([]);
  });

  it('loads the script asynchronously', async () => {
    const { page, consoleMessages } = await pages.openBare(
      `${code('async src')}${SLOT}<script>adsdk.init({ apiKey: '${KEY}' }); adsdk.process({ context: 'boots' })</script>`,
    );
    await page.locator('adsdk-ad').waitFor();
    expect(consoleMessages).to.deep.equal([]);
  });

  it('renders a sample ad without a key, which the service does not count as its own', async () => {
    const { page, consoleMessages } = await pages.openBare(
      `${SLOT}${scriptTag(pages.network.origin)}<script>${code('const sample')}</script>`,
    );
    expect(await page.locator('adsdk-ad b').innerText()).to.equal('Boots for the hills');
    expect(await page.locator('adsdk-ad .ad').getAttribute('lang')).to.equal('en');
    expect(pages.network.asked).to.deep.equal([]);
    await eventually(() => expect(pages.network.events).to.include('impression sample'));
    expect(consoleMessages).to.deep.equal([]);
  });

  it('leaves out the ads that the page has shown', async () => {
    pages.network.respond((response, asked, count) => fill({ id: `ad-${count}` })(response, asked, count));
    const { page } = await openWith('const shown');
    await page.evaluate(`nextAd(${MESSAGES}, document.querySelector('#slot'))`);
    await page.evaluate(`nextAd(${MESSAGES}, document.querySelector('#slot'))`);
    const excluded = pages.network.asked.map(({ body }) => (JSON.parse(body) as { exclude: object }).exclude);
    const others = { advertisers: ['Hill & Dale'], categories: ['Gambling'] };
    expect(excluded).to.deep.equal([
      { creatives: [], ...others },
      { creatives: ['ad-1'], ...others },
    ]);
    expect(await page.evaluate('shown')).to.deep.equal(['ad-1', 'ad-2']);
  });

  it('sends nothing before consent, shows ads after it, and removes them when it is withdrawn', async () => {
    const headers = { 'content-security-policy': `require-trusted-types-for 'script'` };
    const { page, consoleMessages } = await pages.openBare(`${SLOT}<script>${code('startAds')}</script>`, { headers });
    const contacted: string[] = [];
    page.on('request', (request) => contacted.push(request.url()));
    const ask = () => page.evaluate(`window.adsdk?.process({ context: 'boots' }).then((ad) => ad?.id)`);
    expect(await ask()).to.equal(undefined);
    expect(contacted).to.deep.equal([]);
    for (const again of [false, true]) {
      await page.evaluate('startAds()');
      expect(await ask(), String(again)).to.equal('boots-1');
      expect(await page.locator('adsdk-ad').count()).to.equal(1);
      await page.evaluate('stopAds()');
      expect(await page.locator('adsdk-ad').count()).to.equal(0);
      const before = pages.network.asked.length;
      expect(await ask()).to.equal(undefined);
      expect(pages.network.asked).to.have.length(before);
    }
    expect(consoleMessages).to.deep.equal([]);
  });
});

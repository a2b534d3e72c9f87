import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page, Route } from 'playwright-core';
import { checkAccessibility } from '../support/accessibility.js';
import { type FakeAdServer, fill, startFakeAdServer } from '../support/fake-ad-server.js';
import { launchBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Installation } from '../support/installation.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Collects the page's console output, except the browser's own messages about unsuccessful responses. */
function consoleMessagesOf(page: Page): string[] {
  const consoleMessages: string[] = [];
  page.on(
    'console',
    (message) => /Failed to load resource/.test(message.text()) || consoleMessages.push(message.text()),
  );
  page.on('pageerror', (error) => consoleMessages.push(error.message));
  return consoleMessages;
}

describe('The demo page of the running server', function () {
  this.timeout(300_000);
  const adjacent = new Installation(temporaryDirectory());
  let browser: Browser;
  let origin: string;
  before(async () => {
    await copySampleIndex(adjacent.dataDir);
    ({ origin } = await adjacent.serve());
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  });
  const open = async () => {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    const consoleMessages = consoleMessagesOf(page);
    await page.goto(`${origin}/`);
    return { page, consoleMessages };
  };

  for (const [chip, outcome, ads] of [
    ['A weekend in Lisbon', /^ad city-breaks-/, 1],
    ['Windows out of reach', /^ad window-cleaning-/, 1],
    ['Spanish for Madrid', /^ad language-/, 1],
    ['Just saying hello', /^no ad for this one \(below-floor\)/, 0],
    ['A hard week', /^no ad for this one \(sensitive\)/, 0],
  ] as const) {
    it(`shows the decision for "${chip}"`, async () => {
      const { page, consoleMessages } = await open();
      await page.getByRole('button', { name: chip }).click();
      await page.getByLabel('Show decisions').check();
      const decision = page.locator('.decision', { hasText: 'ms' });
      await decision.waitFor();
      expect(await decision.innerText()).to.match(outcome);
      expect(await page.locator('adsdk-ad').count()).to.equal(ads);
      expect(consoleMessages).to.deep.equal([]);
      await page.close();
    });
  }

  it('says who is behind an ad and why it is shown', async () => {
    const { page, consoleMessages } = await open();
    await page.getByRole('button', { name: 'A weekend in Lisbon' }).click();
    await page.locator('adsdk-ad summary', { hasText: 'Why this ad?' }).click();
    expect(await page.locator('adsdk-ad details').innerText()).to.include('what this conversation is about');
    expect(await page.locator('adsdk-ad bdi').innerText()).to.match(/^\w+/);
    expect(consoleMessages).to.deep.equal([]);
    await page.close();
  });

  it('offers a snippet with this server’s address and a working key', async () => {
    const { page, consoleMessages } = await open();
    await page.getByRole('button', { name: 'Put it on your page' }).click();
    const code = page.locator('#code');
    await eventually(async () =>
      expect(await code.innerText())
        .to.contain(`${origin}/sdk/adsdk.js`)
        .and.to.contain('disclosure: true')
        .and.to.contain('if (!signal.aborted) window.adsdk?.render(')
        .and.to.match(/pub_\w{36}/),
    );
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await code.isVisible()).to.equal(false);
    expect(consoleMessages).to.deep.equal([]);
    await page.close();
  });
});

describe('The demo page in other languages', function () {
  this.timeout(300_000);
  const adjacent = new Installation(temporaryDirectory(), { LANGUAGES: 'all' });
  let browser: Browser;
  let origin: string;
  before(async () => {
    await adjacent.indexSample();
    ({ origin } = await adjacent.serve());
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  });

  const none = 'no ad for this one (';
  for (const [language, outcomes] of [
    ['de', ['ad de-e-bikes-', 'ad de-window-cleaning-', 'ad de-language-', none, none]],
    ['es', ['ad es-plumbing-', 'ad es-rural-houses-', 'ad es-language-', none, none]],
    ['ja', ['ad ja-hot-springs-', 'ad ja-running-shoes-', 'ad ja-language-', none, none]],
    ['hi', ['ad hi-holiday-packages-', 'ad hi-ac-repair-', 'ad hi-language-', none, none]],
  ] as const) {
    it(`shows an ad of the language for three suggestions in "${language}", and none for the other two`, async () => {
      const decisions = [];
      for (const at of outcomes.keys()) {
        const page = await browser.newPage({ reducedMotion: 'reduce' });
        await page.goto(`${origin}/#${language}`);
        await page.locator('.chip').nth(at).click();
        await page.locator('#details').check();
        const decision = page.locator('.decision', { hasText: 'ms' });
        await decision.waitFor();
        decisions.push((await decision.innerText()).slice(0, outcomes[at]!.length));
        expect(await page.locator('adsdk-ad').count()).to.equal(outcomes[at]!.startsWith('ad ') ? 1 : 0);
        await page.close();
      }
      expect(decisions).to.deep.equal(outcomes);
    });
  }
});

describe('The language switch of the demo page', () => {
  let network: FakeAdServer;
  let browser: Browser;
  before(async () => {
    network = await startFakeAdServer();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await network.close();
  });
  const open = async (hash = '') => {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    const consoleMessages = consoleMessagesOf(page);
    await page.goto(`${network.origin}/${hash}`);
    await page.locator('.chip').first().waitFor();
    return { page, consoleMessages };
  };
  /** Returns the page's own words: texts, labels and the placeholder, without the product's name and the code. */
  const wordsOf = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[data-text], [data-label], [data-placeholder], .chip')].map((part) =>
        part.dataset['label']
          ? part.ariaLabel
          : part.dataset['placeholder']
            ? part.getAttribute('placeholder')
            : part.textContent,
      ),
    );

  it('shows all texts in the chosen language, and keeps the language in the address', async () => {
    const { page, consoleMessages } = await open();
    const english = await wordsOf(page);
    expect(await page.locator('#language option').allInnerTexts()).to.deep.equal([
      'English',
      'Deutsch',
      'Español',
      '日本語',
      'हिन्दी',
    ]);
    for (const language of ['de', 'es', 'ja', 'hi']) {
      await page.locator('#language').selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      const words = await wordsOf(page);
      expect(words).to.have.length(english.length);
      for (const [at, said] of words.entries()) expect(said, language).to.not.be.oneOf(['', null, english[at]]);
      expect(new URL(page.url()).hash).to.equal(`#${language}`);
      await page.reload();
      await page.locator(`html[lang=${language}]`).waitFor();
      expect(await page.locator('#language').inputValue()).to.equal(language);
    }
    await page.locator('#language').selectOption('en');
    await page.locator('html[lang=en]').waitFor();
    expect(await wordsOf(page)).to.deep.equal(english);
    expect(consoleMessages).to.deep.equal([]);
    await page.close();
  });

  it('selects English if the address names none of its languages', async () => {
    for (const hash of ['', '#xx', '#toString']) {
      const { page, consoleMessages } = await open(hash);
      expect(await page.locator('html').getAttribute('lang')).to.equal('en');
      expect(consoleMessages).to.deep.equal([]);
      await page.close();
    }
  });

  it('starts a new conversation', async () => {
    const { page } = await open('#de');
    await page.locator('.chip').first().click();
    await page.locator('adsdk-ad').waitFor();
    await page.locator('#language').selectOption('ja');
    await page.locator('html[lang=ja]').waitFor();
    expect(await page.locator('.turn').count()).to.equal(0);
    expect(await page.locator('#welcome .chip').count()).to.equal(5);
    network.reset();
    await page.locator('.chip').first().click();
    await page.locator('adsdk-ad').waitFor();
    const { messages } = JSON.parse(network.asked[0]!.body) as { messages: { content: string }[] };
    expect(messages.map(({ content }) => content)).to.deep.equal([
      '箱根で露天風呂つきの温泉旅館に泊まりたいです。週末でも予約できるところはありますか。',
    ]);
    await page.close();
  });

  it('returns to the previous language with the browser’s back button', async () => {
    const { page } = await open('#de');
    await page.locator('#language').selectOption('hi');
    await page.locator('html[lang=hi]').waitFor();
    await page.goBack();
    await page.locator('html[lang=de]').waitFor();
    expect(await page.locator('h1').innerText()).to.equal('Was beschäftigt dich?');
    await page.close();
  });

  for (const language of ['en', 'de', 'es', 'ja', 'hi']) {
    it(`passes axe-core’s WCAG 2.2 AA rules in "${language}", on a phone too`, async () => {
      const { page } = await open(`#${language}`);
      for (const width of [900, 360]) {
        await page.setViewportSize({ width, height: 700 });
        expect((await checkAccessibility(page)).violations).to.deep.equal([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).to.be.at.most(0);
      }
      await page.close();
    });
  }
});

describe('The demo page', () => {
  for (const [what, answer] of [
    ['never comes', () => {}],
    ['is a page of HTML', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Please sign in</h1>' })],
  ] as [string, (route: Route) => unknown][]) {
    it(`answers a message without an ad if its configuration ${what}`, async () => {
      const network = await startFakeAdServer();
      const browser = await launchBrowser();
      const page = await browser.newPage({ reducedMotion: 'reduce' });
      const consoleMessages = consoleMessagesOf(page);
      await page.route('**/demo/config.json', answer);
      await page.goto(`${network.origin}/`);
      await page.getByLabel('Your message').fill('Which boots for the hills?');
      await page.keyboard.press('Enter');
      await page.locator('.assistant:not(.writing)', { hasText: /\S/ }).waitFor();
      await page.locator('.decision', { hasText: 'error: not-initialised' }).waitFor({ state: 'attached' });
      expect(network.asked).to.deep.equal([]);
      expect(consoleMessages).to.deep.equal([]);
      await browser.close();
      await network.close();
    });
  }

  it('does not send the message on the Enter that ends an input method’s composition, as Safari reports it', async () => {
    const network = await startFakeAdServer();
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${network.origin}/`);
    const field = page.getByLabel('Your message');
    await field.fill('箱根の温泉');
    await field.evaluate((element) =>
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })),
    );
    expect([await field.inputValue(), await page.locator('.turn').count()]).to.deep.equal(['箱根の温泉', 0]);
    await browser.close();
    await network.close();
  });

  it('requests an ad while the reply is still being written, shows it after the reply, and cancels an older request', async () => {
    const network = await startFakeAdServer();
    const browser = await launchBrowser();
    let cancelled = 0;
    network.respond((response, asked, count) => {
      if (count === 1) response.on('close', () => cancelled++);
      else fill()(response, asked, count);
    });
    const page = await browser.newPage();
    const consoleMessages = consoleMessagesOf(page);
    // The page's clock, which times the reply, is stopped until everything is checked.
    await page.clock.install({ time: 0 });
    await page.goto(`${network.origin}/`);
    await page.clock.pauseAt(60_000);
    const say = async (message: string) => {
      await page.getByLabel('Your message').fill(message);
      await page.keyboard.press('Enter');
    };
    await say('Which boots for the hills?');
    await eventually(() => expect(network.asked).to.have.length(1));
    expect(await page.locator('.writing').count()).to.equal(1);

    await say('Or rather sandals?');
    await eventually(() => expect(cancelled).to.equal(1));
    await eventually(() => expect(network.asked).to.have.length(2));
    const { messages } = JSON.parse(network.asked[1]!.body) as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user']);
    expect([messages[0]!.content, messages[2]!.content]).to.deep.equal([
      'Which boots for the hills?',
      'Or rather sandals?',
    ]);
    expect(await page.locator('.turn').last().locator('.writing').count()).to.equal(1);
    expect(await page.locator('adsdk-ad').count()).to.equal(0);

    await page.clock.resume();
    await page.locator('adsdk-ad').waitFor();
    expect(await page.locator('.writing').count()).to.equal(0);
    expect(await page.locator('.turn').last().locator('adsdk-ad').count()).to.equal(1);
    expect(consoleMessages).to.deep.equal([]);
    await browser.close();
    await network.close();
  });
});

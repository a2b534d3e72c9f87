import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { fill, startAdNetwork } from '../support/ad-network.js';
import { launchBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Installation } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Everything in the page's console but the browser's own lines on answers that are no success. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => /Failed to load resource/.test(message.text()) || complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

describe('The demo page of the running server', function () {
  this.timeout(120_000);
  const adjacent = new Installation(temporaryDirectory());
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
  const open = async () => {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    const complaints = complaintsOf(page);
    await page.goto(`${origin}/`);
    return { page, complaints };
  };

  for (const [chip, outcome] of [
    ['A weekend in Lisbon', 'ad hotels-'],
    ['Windows out of reach', 'ad window-cleaning-'],
    ['Spanish for Madrid', 'ad language-'],
    ['Just saying hello', 'no ad for this one (below-floor)'],
    ['A hard week', 'no ad for this one (sensitive)'],
  ] as const) {
    it(`shows "${outcome.trim()}" as the decision for "${chip}"`, async () => {
      const { page, complaints } = await open();
      await page.getByRole('button', { name: chip }).click();
      await page.getByLabel('Show decisions').check();
      const decision = page.locator('.decision', { hasText: 'ms' });
      await decision.waitFor();
      expect(await decision.innerText()).to.match(new RegExp(`^${outcome.replace(/[()]/g, '\\$&')}`));
      expect(await page.locator('adsdk-ad').count()).to.equal(outcome.startsWith('ad ') ? 1 : 0);
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }

  it('offers a snippet with this server’s address and a working key', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Put it on your page' }).click();
    const code = page.locator('#code');
    await eventually(async () =>
      expect(await code.innerText())
        .to.contain(`${origin}/sdk/adsdk.js`)
        .and.to.match(/pub_\w{36}/),
    );
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await code.isVisible()).to.equal(false);
    expect(complaints).to.deep.equal([]);
    await page.close();
  });
});

describe('The demo page', () => {
  it('requests an ad while the reply is still being written, shows it after the reply, and cancels an older request', async () => {
    const network = await startAdNetwork();
    const browser = await launchBrowser();
    let cancelled = 0;
    network.respond((response, asked, count) => {
      if (count === 1) response.on('close', () => cancelled++);
      else fill()(response, asked, count);
    });
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${network.origin}/`);
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

    await page.locator('adsdk-ad').waitFor();
    expect(await page.locator('.writing').count()).to.equal(0);
    expect(await page.locator('.turn').last().locator('adsdk-ad').count()).to.equal(1);
    expect(complaints).to.deep.equal([]);
    await browser.close();
    await network.close();
  });
});

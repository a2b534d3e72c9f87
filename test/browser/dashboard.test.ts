import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { setTimeout as pause } from 'node:timers/promises';
import { accessStore } from '../../server/access/access-file.js';
import { createToken, revokeToken } from '../../server/access/access-operations.js';
import { campaignStore } from '../../server/campaigns/terms/campaign-file.js';
import { setCampaign } from '../../server/campaigns/terms/set-terms.js';
import { WITHIN_A_SECOND_MS } from '../support/eventually.js';
import { checkAccessibility } from '../support/accessibility.js';
import { launchBrowser } from '../support/browser.js';
import { fortnight, HOSTILE, ROWS, startOperator, TOKEN, type Operator } from '../server/admin/operator.js';

const PLACES = [
  '/',
  '/reports?by=day',
  '/reports?by=creative&sort=-spend',
  '/creatives',
  '/creative?id=boots',
  '/publishers',
  '/publisher?name=Chat',
  '/campaigns',
  '/campaigns?q=fell&sort=-ctr',
  '/advertiser?name=Fellwalk',
  '/invoices',
  '/snapshots',
  '/keys',
  '/system',
  '/audit',
];

/** The longest id, without a space. */
const LONG = 'x'.repeat(128);

describe('the dashboard in a browser', function () {
  // Runs all axe-core rules on every page, on a machine that may be busy.
  this.timeout(120_000);
  let operator: Operator;
  let browser: Browser;
  before(async () => {
    const now = Date.now();
    const long = { at: now, claims: { publisher: 'Chat', creative: LONG }, kinds: ['impression'] as const };
    operator = await startOperator({ feeds: [ROWS], past: [...fortnight(now), long] });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await operator.close();
  });

  const base = () => `${operator.serving.baseUrl}/admin`;
  const signedIn = async (context: BrowserContext, token = TOKEN, heading = 'Overview'): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${base()}/`);
    await page.getByLabel('Access token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    return page;
  };

  for (const look of [
    { name: 'light', colorScheme: 'light', viewport: { width: 1360, height: 900 } },
    { name: 'dark', colorScheme: 'dark', viewport: { width: 1360, height: 900 } },
    { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  ] as const) {
    it(`${look.name}: every page passes axe-core, fits the window, violates no policy and sends no request to another origin`, async () => {
      const context = await browser.newContext(look);
      const consoleMessages: string[] = [];
      context.on('console', (message) => consoleMessages.push(message.text()));
      context.on('request', (request) => {
        if (!request.url().startsWith(`${operator.serving.baseUrl}/`)) consoleMessages.push(request.url());
      });
      const page = await signedIn(context);
      for (const place of PLACES) {
        await page.goto(base() + place);
        expect((await checkAccessibility(page)).violations, place).to.deep.equal([]);
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(tooWide, place).to.be.at.most(0);
      }
      expect(consoleMessages).to.deep.equal([]);
      await context.close();
    });
  }

  it('shows an advertiser and a publisher their own figures alone, also on a phone', async () => {
    const store = accessStore(operator.dataDir);
    const tokens = await store.change((file) =>
      [
        { name: 'Ana', role: 'advertiser' as const, party: 'Fellwalk', expiresAt: null },
        { name: `Pablo ${LONG}`, role: 'publisher' as const, party: HOSTILE, expiresAt: null },
      ].map((token) => createToken(file, token, Date.now()).token),
    );
    await pause(WITHIN_A_SECOND_MS);
    for (const [token, party, groupings] of [
      [tokens[0]!, 'Fellwalk', ['By day', 'By campaign', 'By creative']],
      [tokens[1]!, HOSTILE, ['By day', 'By advertiser', 'By creative']],
    ] as const) {
      for (const viewport of [
        { width: 1360, height: 900 },
        { width: 360, height: 740 },
      ]) {
        const context = await browser.newContext({ viewport });
        const page = await signedIn(context, token, `Figures of ${party}`);
        const menu = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
        expect(await menu.allInnerTexts()).to.deep.equal(['Figures']);
        const rows = page.getByRole('navigation', { name: 'A row for each' }).getByRole('link');
        expect(await rows.allInnerTexts()).to.deep.equal(groupings);
        for (const grouping of groupings) {
          await page.getByRole('link', { name: grouping }).click();
          await page.getByRole('link', { name: '7 days' }).click();
          expect(await page.getByRole('link', { name: grouping }).getAttribute('aria-current')).to.equal('true');
          expect((await checkAccessibility(page)).violations, grouping).to.deep.equal([]);
          const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          expect(tooWide, grouping).to.be.at.most(0);
          const table = await page.getByRole('table', { name: 'Figures' }).innerText();
          expect(table.includes('Spend')).to.equal(party === 'Fellwalk');
        }
        const downloaded = page.waitForEvent('download');
        await page.getByRole('link', { name: 'Download CSV' }).click();
        expect((await downloaded).suggestedFilename()).to.match(/^figures-creative-.*\.csv$/);
        await page.goto(`${base()}/reports`);
        expect(await page.getByRole('alert').innerText()).to.include('This needs the role admin');
        await page.getByRole('link', { name: 'To the overview' }).click();
        await page.getByRole('heading', { name: `Figures of ${party}` }).waitFor();
        await context.close();
      }
    }
  });

  it('shows a campaign with all its terms, and the button to pause it, in a window of 1,100 px', async () => {
    await campaignStore(operator.dataDir).change((file) => {
      setCampaign(
        file,
        { name: 'autumn' },
        {
          budgetMicros: 12_345_670_000,
          dailyBudgetMicros: 1_234_560_000,
          startsAt: '2026-01-01T00:00:00.000Z',
          endsAt: '2031-01-01T00:00:00.000Z',
          pacing: 'even',
          frequencyCap: { ads: 3, hours: 24 },
        },
      );
    });
    await pause(WITHIN_A_SECOND_MS);
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
    const page = await signedIn(context);
    await page.goto(`${base()}/campaigns`);
    const hidden = await page
      .getByRole('region', { name: 'Campaigns' })
      .evaluate((region) => region.scrollWidth - region.clientWidth);
    expect(hidden).to.be.at.most(0);
    expect(await page.getByRole('button', { name: 'Pause autumn' }).isVisible()).to.equal(true);
    await campaignStore(operator.dataDir).change((file) => void (file.campaigns = []));
    await context.close();
  });

  it('offers a viewer only what a viewer may do, also on a phone, and ends with the viewer’s token', async () => {
    const store = accessStore(operator.dataDir);
    const { token } = await store.change((file) =>
      createToken(file, { name: LONG, role: 'viewer', expiresAt: null }, Date.now()),
    );
    await pause(WITHIN_A_SECOND_MS);
    for (const viewport of [
      { width: 1360, height: 900 },
      { width: 360, height: 740 },
    ]) {
      const context = await browser.newContext({ viewport });
      const page = await signedIn(context, token);
      expect(await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link').allInnerTexts()).to.deep.equal(
        ['Overview', 'Reports', 'Creatives', 'Publishers', 'Campaigns', 'Invoices', 'Why this ad'],
      );
      for (const place of ['/', '/creatives', '/creative?id=boots', '/publisher?name=Chat', '/campaigns', '/keys']) {
        await page.goto(base() + place);
        expect((await checkAccessibility(page)).violations, place).to.deep.equal([]);
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(tooWide, place).to.be.at.most(0);
        const buttons = await page.locator('form[method="post"] button').allInnerTexts();
        expect(buttons, place).to.deep.equal(['Sign out']);
      }
      expect(await page.getByRole('alert').innerText()).to.include('This needs the role admin');
      await page.getByRole('link', { name: 'Why this ad' }).click();
      await page.getByLabel('Conversation').fill('User: which boots are good for the hills?');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'The most relevant creatives' }).waitFor();
      await context.close();
    }
    const context = await browser.newContext();
    const page = await signedIn(context, token);
    await store.change((file) => revokeToken(file, LONG));
    await pause(WITHIN_A_SECOND_MS);
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  it('draws its plots in the page’s own colours, and shows a day’s number on hover', async () => {
    const context = await browser.newContext({ colorScheme: 'dark' });
    const page = await signedIn(context);
    const bar = page
      .getByRole('img', { name: /^Impressions by day/ })
      .locator('.mark-rect path')
      .nth(20);
    expect(await bar.evaluate((path) => getComputedStyle(path).fill)).to.equal('rgb(147, 140, 255)');
    expect((await bar.boundingBox())!.height).to.be.greaterThan(5);
    const day = page
      .getByRole('img', { name: /^Impressions by day/ })
      .locator('.pointed-at > g')
      .nth(20);
    const shown = () => day.locator('text').evaluate((text) => getComputedStyle(text).opacity);
    expect(await shown()).to.equal('0');
    await day.locator('.mark-rect path').hover();
    expect(await shown()).to.equal('1');
    await context.close();
  });

  it('works without JavaScript: sign in, filter, sort, create a key, sign out', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await signedIn(context);
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByText('Rows and filters').click();
    await page.getByLabel('day', { exact: true }).uncheck();
    await page.getByLabel('creative', { exact: true }).first().check();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('columnheader', { name: 'Clicks' }).getByRole('link').click();
    expect(await page.getByRole('columnheader', { name: 'Clicks' }).getAttribute('aria-sort')).to.equal('descending');
    expect(new URL(page.url()).searchParams.get('sort')).to.equal('-clicks');
    await page.getByRole('link', { name: 'Fellwalk Boots' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Fellwalk Boots');

    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByLabel('Publisher').fill('Chat');
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('.secret').textContent()).to.match(/^pub_/);
    await page.reload();
    expect(await page.locator('.secret').count()).to.equal(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${base()}/keys`);
    expect(new URL(page.url()).pathname).to.equal('/admin/sign-in');
    await context.close();
  });

  it('shows an invoice in its own style, and violates no policy', async () => {
    const context = await browser.newContext();
    const consoleMessages: string[] = [];
    context.on('console', (message) => consoleMessages.push(message.text()));
    const page = await signedIn(context);
    await page.getByRole('link', { name: 'Invoices' }).click();
    await page.getByRole('link', { name: /^View the invoice of Fellwalk/ }).click();
    await page.getByRole('heading', { name: 'Invoice' }).waitFor();
    const table = page.getByRole('table');
    expect(await table.evaluate((element) => getComputedStyle(element).borderCollapse)).to.equal('collapse');
    // A4 without its margins: everything is on the sheet, and the totals only at the end.
    await page.setViewportSize({ width: 680, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    const { x, width } = (await table.boundingBox())!;
    expect([x, x + width]).to.deep.equal([0, 680]);
    const foot = page.locator('tfoot');
    expect(await foot.evaluate((element) => getComputedStyle(element).display)).to.equal('table-row-group');
    expect(consoleMessages).to.deep.equal([]);
    await context.close();
  });

  it('prints a report whole, with its period and filters', async () => {
    const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 718, height: 1000 } });
    const page = await signedIn(context);
    await page.emulateMedia({ media: 'print' });
    await page.goto(`${base()}/reports?by=creative,publisher&advertiser=Fellwalk&from=2026-01-01&to=2026-12-31`);
    expect(await page.locator('.printed').innerText()).to.equal(
      '2026-01-01 to 2026-12-31, days in UTC · by publisher, creative · advertiser Fellwalk',
    );
    expect(await page.locator('.printed').isVisible()).to.equal(true);
    const sheet = await page.locator('body').boundingBox();
    for (const title of ['Spend', 'eCPM']) {
      const column = (await page.getByRole('columnheader', { name: title }).boundingBox())!;
      expect(column.x + column.width, title).to.be.at.most(sheet!.width);
    }
    expect(await page.locator('h1').evaluate((heading) => getComputedStyle(heading).color)).to.equal('rgb(31, 29, 43)');
    await context.close();
  });

  it('shows every entry of the navigation and the numbers beside a long name on a phone', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await signedIn(context);
    const entries = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
    expect(await entries.count()).to.equal(11);
    for (const entry of await entries.all()) {
      const { x, width } = (await entry.boundingBox())!;
      expect(x + width).to.be.at.most(360);
    }
    await page.goto(`${base()}/reports?by=creative`);
    const long = page.getByRole('row').filter({ hasText: LONG }).getByRole('cell');
    expect((await long.nth(1).boundingBox())!.x).to.be.at.most(200);
    const bar = page.getByRole('listitem').filter({ hasText: 'Tea of the Month' });
    expect(await bar.locator('.number').innerText()).to.equal('25');
    await context.close();
  });
});

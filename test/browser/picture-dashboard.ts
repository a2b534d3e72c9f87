import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { feedRow } from '../support/feed.js';
import { momentsBetween, randomNumbers } from '../support/plausible-month.js';
import { type Past, startOperator, TOKEN } from '../server/admin/operator.js';
import { DAY } from '../../platform/time/durations.js';

const DAYS = 60;
const DECISIONS = 18_000;

/** Creatives of made-up advertisers: name, advertiser, pricing model, price in micros, share of the ads. */
const CREATIVES = [
  ['Send an invoice in one minute', 'Ledgerly', 'cpc', 420_000, 5],
  ['Boots that forgive wet Mondays', 'Fellwalk', 'cpm', 2_350_000, 6],
  ['Trains to the coast from 19 euros', 'Railhop', 'cpm', 3_100_000, 8],
  ['Learn to code in the evening', 'Night School', 'cpc', 350_000, 4],
  ['A parcel of green tea every month', 'Leaf & Kettle', 'cpm', 1_900_000, 3],
  ['Puppy classes near you', 'Good Dog', 'cpc', 280_000, 3],
  ['Paint that covers in one coat', 'Brightwall', 'cpm', 2_000_000, 2],
] as const;
const PUBLISHERS = ['Garden Chat', 'Trip Planner', 'Homework Helper'];

/** Pictures the dashboard over two made-up months, which are the same on every machine. */
export async function pictureDashboard(browser: Browser, directory: string): Promise<void> {
  const rows = CREATIVES.map(([name, advertiser, model, micros], at) =>
    feedRow(`ad-${at}`, {
      name,
      advertiser,
      campaign: 'Autumn',
      text: `${name}.`,
      pricing: { model, micros },
      budgetMicros: 400_000_000,
    }),
  );
  const operator = await startOperator({ feeds: [rows], past: twoMonths(Date.now()), settings: { CURRENCY: 'EUR' } });
  const views = [
    { name: 'overview', place: '/', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    {
      name: 'reports-dark',
      place: '/reports?by=creative&sort=-spend',
      colorScheme: 'dark',
      viewport: { width: 1280, height: 900 },
    },
    { name: 'narrow', place: '/', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  ] as const;
  try {
    for (const { name, place, colorScheme, viewport } of views) {
      const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' });
      const base = `${operator.serving.baseUrl}/admin`;
      await page.goto(`${base}/`);
      await page.getByLabel('Access token').fill(TOKEN);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto(base + place);
      await page.waitForLoadState('networkidle');
      await sharp(await page.screenshot())
        .webp({ quality: 75, effort: 6 })
        .toFile(join(directory, `${name}.webp`));
      await page.close();
    }
  } finally {
    await operator.close();
  }
}

function twoMonths(now: number): Past[] {
  const random = randomNumbers(11);
  const moment = momentsBetween(now - DAYS * DAY, now);
  const shares = CREATIVES.flatMap(([, , , , share], at) => Array.from({ length: share }, () => at));
  return Array.from({ length: DECISIONS }, (_, number): Past => {
    const at = shares[Math.floor(random() * shares.length)]!;
    const [, advertiser, model, micros] = CREATIVES[at]!;
    const publisher = PUBLISHERS[Math.floor(random() ** 1.6 * PUBLISHERS.length)]!;
    const claims = { publisher, creative: `ad-${at}`, campaign: 'Autumn', advertiser, pricing: { model, micros } };
    const when = { at: moment((number + random()) / DECISIONS), language: random() < 0.85 ? 'en' : 'de' };
    if (random() < 0.32) return { ...when, claims, kinds: [], noFill: random() < 0.93 ? 'below-floor' : 'sensitive' };
    if (random() < 0.06) return { ...when, claims, kinds: [] };
    const kinds = [...(['impression'] as const), ...(random() < 0.7 ? (['view'] as const) : [])];
    return { ...when, claims, kinds: random() < 0.022 ? [...kinds, 'click'] : kinds };
  });
}

// First: the dashboard's catalogue is indexed for the encoder that its server runs.
import '../support/test-environment.js';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { main } from '../../platform/command-line/run-command.js';
import { startFakeAdServer } from '../support/fake-ad-server.js';
import { launchBrowser } from '../support/browser.js';
import type { Browser } from 'playwright-core';
import { answerWith, APPEARANCES, pageOf, pictured, TEMPLATES } from '../support/appearances.js';
import { scriptTag } from '../support/publisher-pages.js';
import { Installation } from '../support/installation.js';
import { pictureDashboard } from './picture-dashboard.js';
import { openSite } from '../support/opened-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

// `npm run screenshots`: takes the pictures of the READMEs (product and script) from the running product.
const usage = `Usage: npm run screenshots [-- DIRECTORY]

Pictures the script's templates, the demo and the dashboard in Chromium, from the running product, as WebP. Takes a few
minutes.

  DIRECTORY   where they are put (default: sdk/screenshots, and server/admin/screenshots for the dashboard)

Example: npm run screenshots -- /tmp/pictures
`;

const PLACES = ['sdk/screenshots', 'server/admin/screenshots'] as const;

/** Position of a picture of this size on the sheet of its template. */
const CELL = { width: 400, height: 270 };
const ACROSS = 3;

await main({
  usage,
  async run(argv) {
    const { positionals } = parseArgs({ args: [...argv], allowPositionals: true });
    const [script, dashboard] = positionals[0] === undefined ? PLACES : [positionals[0], positionals[0]];
    for (const directory of [script, dashboard]) mkdirSync(directory, { recursive: true });
    const browser = await launchBrowser();
    try {
      await pictureTemplates(browser, script);
      await pictureDemo(browser, script);
      await pictureDashboard(browser, dashboard);
    } finally {
      await browser.close();
    }
  },
});

async function pictureTemplates(browser: Browser, directory: string): Promise<void> {
  const network = await startFakeAdServer();
  for (const template of TEMPLATES) {
    const cells = [];
    for (const [at, appearance] of APPEARANCES.entries()) {
      answerWith(appearance, network);
      const html = pageOf(appearance, template) + scriptTag(network.origin);
      const options = {
        viewport: { width: 520, height: appearance.name.startsWith('narrow') ? 520 : 320 },
        ...appearance.options,
      };
      const { page, close } = await openSite(browser, { html }, options);
      await page.evaluate(() => {
        window.adsdk!.init({ apiKey: 'pub_test' });
        return window.adsdk!.process({ context: 'boots' });
      });
      await pictured(page);
      const size = { width: CELL.width - 12, height: CELL.height - 30 };
      const picture = await sharp(await page.screenshot())
        .resize({ ...size, fit: 'inside' })
        .toBuffer();
      const [left, top] = [(at % ACROSS) * CELL.width + 6, Math.floor(at / ACROSS) * CELL.height];
      const name = `<svg width="${CELL.width}" height="24"><text x="2" y="17" font-size="14" font-family="sans-serif">${appearance.name}</text></svg>`;
      cells.push({ input: Buffer.from(name), left, top }, { input: picture, left, top: top + 24 });
      await close();
    }
    const height = Math.ceil(APPEARANCES.length / ACROSS) * CELL.height;
    const sheet = sharp({ create: { width: ACROSS * CELL.width, height, channels: 3, background: '#d8d8de' } });
    await sheet
      .composite(cells)
      .webp({ quality: 75, effort: 6 })
      .toFile(join(directory, `${template}.webp`));
  }
  await network.close();
}

/** Uses the running product: the sample catalogue, the bundled encoders, and the ads that they choose. */
async function pictureDemo(browser: Browser, directory: string): Promise<void> {
  const adjacent = new Installation(temporaryDirectory(), { PROFILE: 'quality' });
  try {
    await adjacent.indexSample();
    const { origin } = await adjacent.serve();
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width: 900, height: 640 },
      });
      await page.goto(`${origin}/`);
      await page.getByRole('button', { name: 'A weekend in Lisbon' }).click();
      await page.locator('adsdk-ad').waitFor();
      await pictured(page);
      const picture = sharp(await page.screenshot()).webp({ quality: 75, effort: 6 });
      await picture.toFile(join(directory, `demo-${colorScheme}.webp`));
      await page.close();
    }
  } finally {
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  }
}

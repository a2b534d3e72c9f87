import type { AdsdkEventMap } from '../../sdk/types.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startAdNetwork, type AdNetwork } from './ad-network.js';
import { launchBrowser } from './browser.js';
import { openSite, type Publisher, type Site } from './publisher.js';

export interface PublisherPages {
  readonly network: AdNetwork;
  readonly browser: Browser;
  /** A page with the script loaded and `init` called, `html` in its body. */
  open(html?: string, site?: Omit<Site, 'html'>, options?: BrowserContextOptions): Promise<Publisher>;
  /** A page of which the test decides everything. */
  openBare(html: string, site?: Omit<Site, 'html'>, options?: BrowserContextOptions): Promise<Publisher>;
}

export const KEY = 'pub_test';

/** For a `describe`: one browser and one ad network for its tests, a fresh page for each of them. */
export function publisherPages(): PublisherPages {
  let browser: Browser;
  let network: AdNetwork;
  const opened: Publisher[] = [];
  before(async () => {
    browser = await launchBrowser();
    network = await startAdNetwork();
  });
  beforeEach(() => network.reset());
  afterEach(async () => {
    for (const publisher of opened.splice(0)) await publisher.close();
  });
  after(async () => {
    await browser.close();
    await network.close();
  });

  const openBare: PublisherPages['openBare'] = async (html, site = {}, options = {}) => {
    const publisher = await openSite(browser, { html, ...site }, options);
    opened.push(publisher);
    return publisher;
  };
  return {
    get network() {
      return network;
    },
    get browser() {
      return browser;
    },
    openBare,
    open: (html = '', site, options) => openBare(html + scriptTag(network.origin) + INIT, site, options),
  };
}

export const scriptTag = (origin: string): string => `<script src="${origin}/sdk/adsdk.js"></script>`;

const INIT = `<script>adsdk.init({ apiKey: '${KEY}' })</script>`;

/** The events that the script dispatched: `type detail`, the detail being an ad's id, an error's code or a reason. */
export async function recordEvents(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const dispatched: string[] = ((window as unknown as { dispatched: string[] }).dispatched = []);
    const types: (keyof AdsdkEventMap)[] = [
      'adsdk:fill',
      'adsdk:no-fill',
      'adsdk:error',
      'adsdk:impression',
      'adsdk:view',
      'adsdk:click',
    ];
    for (const type of types) {
      document.addEventListener(type, (event) => {
        const { detail } = event as CustomEvent<{ code?: string; id?: string } | string | null>;
        dispatched.push(
          `${type.slice('adsdk:'.length)} ${typeof detail === 'object' ? (detail?.code ?? detail?.id ?? null) : detail}`,
        );
      });
    }
  });
  return () => page.evaluate(() => (window as unknown as { dispatched: string[] }).dispatched);
}

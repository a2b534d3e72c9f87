import type { AdsdkEventMap } from '../../sdk/types.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startFakeAdServer, type FakeAdServer } from './fake-ad-server.js';
import { launchBrowser } from './browser.js';
import { openSite, type OpenedSite, type Site } from './opened-site.js';

export interface PublisherPages {
  readonly network: FakeAdServer;
  readonly browser: Browser;
  /** Opens a page with the script loaded, `init` called, and `html` in its body. */
  open(html?: string, site?: Omit<Site, 'html'>, options?: BrowserContextOptions): Promise<OpenedSite>;
  /** Opens a page whose whole content the test determines. */
  openBare(html: string, site?: Omit<Site, 'html'>, options?: BrowserContextOptions): Promise<OpenedSite>;
}

export const KEY = 'pub_test';

/** Sets up one browser and one ad network for the tests of a `describe`, with new pages for each test. */
export function publisherPages(): PublisherPages {
  let browser: Browser;
  let network: FakeAdServer;
  const opened: OpenedSite[] = [];
  before(async () => {
    browser = await launchBrowser();
    network = await startFakeAdServer();
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

/**
 * Records the events that the script dispatches as `type detail`, where the detail is an ad's id, an error's code or a
 * reason.
 */
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

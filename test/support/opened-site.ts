import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listen } from './listen.js';

export interface Site {
  /** The page's HTML: a whole document, or the content of its body. */
  readonly html: string;
  readonly headers?: Record<string, string>;
  /** Scripts and other files of the site, by name. */
  readonly files?: Record<string, string>;
}

/** A publisher's site on its own origin, open in a real browser. */
export interface OpenedSite {
  readonly page: Page;
  /** Every console message, uncaught exception, unhandled rejection and policy violation so far. */
  readonly consoleMessages: string[];
  readonly close: () => Promise<void>;
}

export async function openSite(browser: Browser, site: Site, options: BrowserContextOptions = {}): Promise<OpenedSite> {
  const { origin, close } = await listen((request, response) => {
    const name = new URL(request.url!, 'http://site').pathname.slice(1);
    const content = name === '' ? whole(site.html) : site.files?.[name];
    const type = name === '' ? 'text/html' : (TYPES[name.split('.').at(-1)!] ?? 'text/plain');
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      ...site.headers,
    });
    response.end(content);
  });
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, ...options });
  const page = await context.newPage();
  const consoleMessages: string[] = [];
  page.on('console', (message) => consoleMessages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => consoleMessages.push(`exception: ${error.message}`));
  await page.goto(origin);
  return {
    page,
    consoleMessages,
    async close() {
      await context.close();
      await close();
    },
  };
}

/** Returns the strictest policy under which the script must work, for a service at this origin. */
export const strictPolicy = (origin: string, own = "'self'"): string =>
  `default-src 'none'; script-src ${own} ${origin}; connect-src ${origin}; img-src ${origin}; ` +
  `require-trusted-types-for 'script'; trusted-types 'none'`;

const TYPES: Record<string, string> = {
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
};

const whole = (html: string): string =>
  /^<!doctype/i.test(html)
    ? html
    : `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A publisher's page</title>` +
      `</head><body><main><h1>A publisher</h1>${html}</main></body></html>`;

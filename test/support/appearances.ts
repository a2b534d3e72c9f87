import type { BrowserContextOptions, Page } from 'playwright-core';
import { type FakeAdServer, fill } from './fake-ad-server.js';

/** One appearance of an ad. */
export interface Appearance {
  readonly name: string;
  readonly ad?: Record<string, unknown>;
  /** The ad's language, if the server names it, and the label that the ad gets then. */
  readonly language?: { readonly tag: string; readonly label: string };
  /** Inline style of the slot, and of the page around it. */
  readonly slot?: string;
  readonly page?: string;
  readonly dir?: 'rtl';
  readonly options?: BrowserContextOptions;
}

const ARABIC = {
  name: 'أحذية فيل ووك',
  text: 'أحذية مقاومة للماء للأيام الطويلة في الجبال، مع إصلاح مجاني لعشر سنوات.',
};
const GERMAN = {
  name: 'Wanderstiefel Fellwalk',
  text: 'Wasserdicht, für lange Tage in den Bergen, zehn Jahre lang kostenlos neu besohlt.',
};
const LONG = {
  name: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenmanufaktur',
  text: `${'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'.repeat(2)} https://example.com/${'a'.repeat(90)}`,
};
const DARK = 'background: #14131a; color: #eceaf4';

export const APPEARANCES: readonly Appearance[] = [
  { name: 'image' },
  { name: 'no-image', ad: { imageUrl: null } },
  { name: 'no-text', ad: { text: null } },
  { name: 'image-missing', ad: { imageUrl: 'missing' } },
  { name: 'long-words', ad: LONG },
  { name: 'rtl-ad', ad: ARABIC },
  { name: 'rtl-page', ad: ARABIC, dir: 'rtl' },
  { name: 'german', ad: GERMAN, language: { tag: 'de', label: 'Anzeige' } },
  { name: 'arabic', ad: { ...ARABIC, name: `Fellwalk ${ARABIC.name}` }, language: { tag: 'ar', label: 'إعلان' } },
  { name: 'zoom-200', options: { viewport: { width: 400, height: 300 }, deviceScaleFactor: 2 } },
  { name: 'text-200', page: 'font-size: 200%' },
  { name: 'dark', page: DARK },
  {
    name: 'dark-by-scheme',
    page: 'color-scheme: light dark; background: Canvas; color: CanvasText',
    options: { colorScheme: 'dark' },
  },
  { name: 'narrow-200px', slot: 'width: 200px' },
  { name: 'narrow-long', slot: 'width: 200px', ad: LONG },
  { name: 'wide', options: { viewport: { width: 1400, height: 500 } } },
  { name: 'forced-colours', options: { forcedColors: 'active' } },
  { name: 'reduced-motion', options: { reducedMotion: 'reduce' } },
  {
    name: 'own-colours',
    slot: '--adsdk-bg:#fff7e6;--adsdk-text:#3b2a00;--adsdk-accent:#8a3b00;--adsdk-border:#e6c98a;--adsdk-radius:4px',
  },
];

export const TEMPLATES = ['card', 'native'] as const;

/** Returns a well-formed publisher page with one slot. */
export const pageOf = (appearance: Appearance, template: string): string => `<!doctype html>
<html lang="en" dir="${appearance.dir ?? 'ltr'}"${appearance.page?.includes('scheme') ? ` style="${appearance.page}"` : ''}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>A conversation</title></head>
<body style="margin: 0; padding: 24px; font: 16px/1.5 sans-serif; ${appearance.page ?? ''}"><main><h1 style="font-size: 1.25em; margin: 0 0 12px">A conversation</h1>
<p>Boots should be broken in slowly, an hour a day.</p>
<div id="slot" data-adsdk-slot data-adsdk-template="${template}" style="${appearance.slot ?? ''}"></div>
</main>`;

/** Makes the network respond with the appearance's ad. */
export function answerWith({ ad, language }: Appearance, network: FakeAdServer): void {
  const imageUrl = `${network.origin}/api/v1/public/creatives/images/missing.svg`;
  const headers: Record<string, string> = language ? { 'content-language': language.tag } : {};
  network.respond(fill(ad?.['imageUrl'] === 'missing' ? { imageUrl } : ad, headers));
}

/** Waits until the image is loaded or removed. */
export const pictured = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const image = document.querySelector('adsdk-ad')?.shadowRoot?.querySelector('img');
    return image === null || image?.complete;
  });

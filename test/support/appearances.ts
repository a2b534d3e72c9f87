import type { BrowserContextOptions, Page } from 'playwright-core';

/** One way in which an ad may appear. */
export interface Appearance {
  readonly name: string;
  readonly ad?: Record<string, unknown>;
  /** Inline style of the slot, or of the page around it. */
  readonly slot?: string;
  readonly page?: string;
  readonly dir?: 'rtl';
  readonly options?: BrowserContextOptions;
}

const ARABIC = {
  name: 'أحذية فيل ووك',
  text: 'أحذية مقاومة للماء للأيام الطويلة في الجبال، مع إصلاح مجاني لعشر سنوات.',
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

/** A page as a publisher with good manners has it, with one slot. */
export const pageOf = (appearance: Appearance, template: string): string => `<!doctype html>
<html lang="en" dir="${appearance.dir ?? 'ltr'}"${appearance.page?.includes('scheme') ? ` style="${appearance.page}"` : ''}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>A conversation</title></head>
<body style="margin: 0; padding: 24px; font: 16px/1.5 sans-serif; ${appearance.page ?? ''}"><main><h1 style="font-size: 1.25em; margin: 0 0 12px">A conversation</h1>
<p>Boots should be broken in slowly, an hour a day.</p>
<div id="slot" data-adsdk-slot data-adsdk-template="${template}" style="${appearance.slot ?? ''}"></div>
</main>`;

/** Waits until the picture is in, or gone. */
export const pictured = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const image = document.querySelector('adsdk-ad')?.shadowRoot?.querySelector('img');
    return image === null || image?.complete;
  });

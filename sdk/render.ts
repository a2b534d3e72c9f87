import { checkAd } from './check-ad.js';
import { AdsdkError } from './error.js';
import { loadOnce } from './load-once.js';
import { own } from './own.js';
import { styleOf } from './style.js';
import { tell } from './tell.js';
import { build } from './template.js';
import type { Ad, RenderOptions } from './types.js';
import { onView } from './viewability.js';

/** The element that holds an ad's shadow root. */
export const HOST = 'adsdk-ad';

/**
 * Shows an ad in an element of the page, and loads its impression URL if this page has not yet. Throws a typed error, or
 * what a browser without adopted style sheets throws, before anything is shown.
 */
export function show(value: unknown, element: HTMLElement, options: RenderOptions | undefined): HTMLElement {
  const ad: Ad = checkAd(value);
  if (!element?.isConnected) throw new AdsdkError('invalid-argument', 'the element is not in the page');
  const { template = 'card', position } = own(options);
  const host = document.createElement(HOST);
  const root = host.attachShadow(own({ mode: 'open' }) as ShadowRootInit);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleOf(template));
  root.adoptedStyleSheets = [sheet];
  root.append(build(ad, template));
  root.querySelector('a')!.addEventListener('click', () => tell('adsdk:click', ad, [host]));

  if (position == 'suffix') element.append(host);
  else if (position == 'prefix') element.prepend(host);
  else element.replaceChildren(host);
  tell('adsdk:fill', ad, [host]);
  if (loadOnce(ad.impressionUrl)) tell('adsdk:impression', ad, [host]);
  onView(host, () => loadOnce(ad.impressionUrl + '&event=view') && tell('adsdk:view', ad, [host]));
  return host;
}

import { checkAd } from './check-ad.js';
import { AdsdkError } from './error.js';
import type { Wording } from './labels.js';
import { loadOnce, onView } from './measure.js';
import { ownFields } from './own-fields.js';
import { styleOf } from './style.js';
import { emit } from './events.js';
import { buildAd } from './template.js';
import type { RawAd, RenderOptions } from './types.js';

/** The element that holds an ad's shadow root. */
export const HOST = 'adsdk-ad';

/** Removes the ads from an element. */
export function removeAds(element: Element | null | undefined): void {
  for (const host of element?.querySelectorAll?.(HOST) ?? []) host.remove();
}

/** Renders an ad with the labels for its language. */
export type Show = (ad: RawAd, element: HTMLElement, options: RenderOptions | undefined) => HTMLElement;

/**
 * Renders an ad into an element of the page, and loads its impression URL if this page has not loaded it yet: at once,
 * or, if the element is not displayed, when the ad comes into view. Throws a typed error, or the error of a browser
 * without adopted style sheets, before anything is rendered.
 */
export function renderAd(
  value: unknown,
  element: HTMLElement,
  options: RenderOptions | undefined,
  wording: Wording,
): HTMLElement {
  const ad = checkAd(value, 0);
  if (!element?.isConnected) throw new AdsdkError('invalid-argument', 'not in page');
  const { template = 'card', position } = ownFields(options);
  // The element may be in another window's document, and a style sheet can be adopted only by its own document.
  const page = element.ownerDocument;
  const host = page.createElement(HOST);
  const root = host.attachShadow(ownFields({ mode: 'open' }) as ShadowRootInit);
  const sheet = new page.defaultView!.CSSStyleSheet();
  sheet.replaceSync(styleOf(template));
  root.adoptedStyleSheets = [sheet];
  root.append(buildAd(ad, template, wording));
  // The middle button opens links too, with an `auxclick` event, which the right button also fires.
  for (const type of ['click', 'auxclick'] as const) {
    root.querySelector('a')!.addEventListener(type, (event) => event.button > 1 || emit('adsdk:click', ad, [host]));
  }

  element[position == 'suffix' ? 'append' : position == 'prefix' ? 'prepend' : 'replaceChildren'](host);
  emit('adsdk:fill', ad, [host]);
  const load = (type: 'adsdk:impression' | 'adsdk:view', event: string) =>
    // The ad may have left the page before the pixel is loaded.
    loadOnce(ad.impressionUrl + event, host, () => emit(type, ad, host.isConnected && [host]));
  const count = () => load('adsdk:impression', '');
  // An element without a box (`display: none`) displays nothing yet.
  if (host.getClientRects()[0]) count();
  onView(host, count, () => load('adsdk:view', '&event=view'));
  return host;
}

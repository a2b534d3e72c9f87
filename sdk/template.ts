import { ownFields } from './own-fields.js';
import type { Wording } from './labels.js';
import type { Ad, Template } from './types.js';

/**
 * Builds the ad's elements. Its text becomes text nodes, so markup in it is displayed and not executed. No inline
 * style, inline handler or HTML string is used, so that no Content-Security-Policy blocks the ad.
 */
export function buildAd(ad: Ad, template: Template, { language, wordsOf }: Wording): HTMLElement {
  const [adWord, ofAdWord] = wordsOf('ad');
  const [learnMore, ofLearnMore] = wordsOf('learnMore');
  const whole = { class: 'ad', ...language };
  const name = element('b', {}, ad.name);
  const { advertiser, title, text, language: lang } = ownFields(ad.disclosure);
  const label = element('span', { class: 'label', ...ofAdWord }, adWord);
  const by = advertiser ? element('bdi', {}, advertiser) : '';
  const why = title ? element('details', { lang: lang!, dir: 'auto' }, element('summary', {}, title), text!) : '';
  const link = {
    href: ad.targetUrl,
    target: '_blank',
    rel: 'sponsored noopener',
    ...(ofLearnMore['lang'] && { title: 'Opens in a new tab' }),
  };
  if (template == 'native') {
    return element('span', whole, label, by, element('a', link, name, ad.text ? ' ' + ad.text : ''), why);
  }
  return element(
    'div',
    { ...whole, role: 'group', 'aria-label': adWord },
    ad.imageUrl ? picture(ad.imageUrl) : '',
    element(
      'div',
      { class: 'body' },
      label,
      by,
      name,
      element('div', {}, ad.text ?? ''),
      element('a', { ...link, ...ofLearnMore, 'aria-label': learnMore + ': ' + ad.name }, learnMore),
      why,
    ),
  );
}

/** Builds the image. It is decorative, since the text says everything, and is removed if it cannot be loaded. */
function picture(src: string): HTMLElement {
  const image = element('img', { src, alt: '' });
  image.addEventListener('error', () => image.remove());
  return image;
}

function element(name: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key]!);
  made.append(...children);
  return made;
}

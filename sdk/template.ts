import type { Wording } from './labels.js';
import type { Ad, Template } from './types.js';

/**
 * The ad as elements. Its words become text nodes, so markup in them is shown, not run; without a style, a handler or
 * HTML in the making there is nothing a Content-Security-Policy could object to.
 */
export function buildAd(ad: Ad, template: Template, { language, wordsOf }: Wording): HTMLElement {
  const [adWord, ofAdWord] = wordsOf('ad');
  const [learnMore, ofLearnMore] = wordsOf('learnMore');
  const whole = { class: 'ad', ...language };
  const name = element('b', {}, ad.name);
  const label = element('span', { class: 'label', ...ofAdWord }, adWord);
  const link = {
    href: ad.targetUrl,
    target: '_blank',
    rel: 'sponsored noopener',
    ...(ofLearnMore['lang'] && { title: 'Opens in a new tab' }),
  };
  if (template == 'native') {
    return element('span', whole, label, element('a', link, name, ad.text ? ' ' + ad.text : ''));
  }
  return element(
    'div',
    { ...whole, role: 'group', 'aria-label': adWord },
    ad.imageUrl ? picture(ad.imageUrl) : '',
    element(
      'div',
      { class: 'body' },
      label,
      name,
      element('div', {}, ad.text ?? ''),
      element('a', { ...link, ...ofLearnMore, 'aria-label': learnMore + ': ' + ad.name }, learnMore),
    ),
  );
}

/** The words say it all: the picture is decoration, and goes when it cannot be loaded. */
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

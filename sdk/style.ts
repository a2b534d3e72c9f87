import type { Template } from './types.js';

/**
 * Page rules do not reach into a shadow root, but they match its host, and text properties inherit. So the host is
 * reset, and takes from the page only what makes an ad readable and at home: font, text colour, visibility.
 */
const BASE = `
:host {
  all: initial !important;
  color: var(--adsdk-text, inherit) !important;
  font: inherit !important;
  visibility: inherit !important;
  overflow-wrap: anywhere !important;
}
.label {
  border: 1px solid;
  border-radius: 4px;
  padding: 0 .4em;
  font-size: .75em;
}
.label + * {
  margin-inline-start: .4em;
}
a {
  color: var(--adsdk-accent, inherit);
}
a:focus-visible {
  outline: 2px solid;
  outline-offset: 2px;
}
`;

/**
 * Grey with alpha makes a card on any ground, light or dark, without asking which. The image stands beside the words
 * where 12em are left for them, and above them where not. The link's area is the whole card.
 */
const CARD = `
:host {
  display: block !important;
}
.ad {
  position: relative;
  display: flex;
  flex-wrap: wrap;
  gap: 1em;
  max-width: 40em;
  padding: 1em;
  border: 1px solid var(--adsdk-border, #80808066);
  border-radius: var(--adsdk-radius, 12px);
  background: var(--adsdk-bg, #80808014);
  line-height: 1.5;
}
img {
  flex: 1 0 6em;
  width: 6em;
  height: 6em;
  border-radius: 8px;
  object-fit: cover;
}
.body {
  flex: 99 12em;
  min-width: 0;
}
a {
  display: inline-block;
  min-height: 24px;
  margin-top: .3em;
  font-weight: 600;
}
a::after {
  content: "";
  position: absolute;
  inset: 0;
}
`;

export const styleOf = (template: Template): string => (template == 'native' ? BASE : BASE + CARD);

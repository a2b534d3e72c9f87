import type { Template } from './types.js';

/**
 * Page styles do not apply inside a shadow root, but they match its host, and text properties are inherited. So the
 * host is reset, and inherits only what makes an ad readable and consistent with the page: font, text colour,
 * visibility.
 */
const BASE = `
:host {
  all: initial !important;
  color: var(--adsdk-text, inherit) !important;
  font: inherit !important;
  visibility: inherit !important;
  overflow-wrap: anywhere !important;
}
:host([hidden]) {
  display: none !important;
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
details, bdi {
  position: relative;
  display: inline-block;
  font-size: .75em;
  margin: 0 .4em;
}
a, summary {
  min-height: 24px;
}
:focus-visible {
  outline: 2px solid;
  outline-offset: 2px;
}
`;

/**
 * Translucent grey works on any background, light or dark, without detecting which. The image is beside the text if
 * that leaves 12em for the text, otherwise above it. The link covers the whole card.
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
  margin-top: .3em;
  font-weight: 600;
}
details, bdi + b {
  display: block;
  margin: 0;
}
a::after {
  content: "";
  position: absolute;
  inset: 0;
}
`;

export const styleOf = (template: Template): string => (template == 'native' ? BASE : BASE + CARD);

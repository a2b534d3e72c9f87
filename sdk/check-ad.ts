import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import type { Ad } from './types.js';

/**
 * An answer, or what a page passes as an ad, as an Ad of which nothing need be doubted: every field of its kind, every
 * URL http or https (so that no link runs a script). Throws `invalid-ad`.
 */
export function checkAd(value: unknown): Ad {
  const { id, name, text = null, imageUrl = null, impressionUrl, targetUrl, score } = ownFields(value as Ad);
  if (
    [id, name, text ?? '', imageUrl ?? '', impressionUrl, targetUrl].some((field) => typeof field != 'string') ||
    [imageUrl ?? targetUrl, impressionUrl, targetUrl].some((url) => !/^https?:\/\//i.test(url!)) ||
    typeof score != 'number'
  ) {
    throw new AdsdkError('invalid-ad');
  }
  return { id, name, text, imageUrl, impressionUrl, targetUrl, score } as Ad;
}

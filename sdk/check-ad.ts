import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import type { Ad } from './types.js';

/**
 * Validates a response, or a value that a page passes as an ad, and returns it as an Ad: every field has its type,
 * every URL is http or https (so that no link runs a script). Throws `invalid-ad`.
 *
 * @param noScore the score of an ad without one; left out, it must have one
 */
export function checkAd(value: unknown, noScore?: number): Ad {
  const given = ownFields(value as Ad);
  const { id, name, text = null, imageUrl = null, impressionUrl, targetUrl, score = noScore, disclosure } = given;
  if (
    [id, name, text ?? '', imageUrl ?? '', impressionUrl, targetUrl].some((field) => typeof field != 'string') ||
    [imageUrl ?? targetUrl, impressionUrl, targetUrl].some((url) => !/^https?:\/\//i.test(url!)) ||
    typeof score != 'number'
  ) {
    throw new AdsdkError('invalid-ad');
  }
  return { id, name, text, imageUrl, impressionUrl, targetUrl, score, ...(disclosure && { disclosure }) } as Ad;
}

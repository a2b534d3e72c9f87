import type sharp from 'sharp';

/**
 * Max side of an image in pixels. Slots are some hundred pixels wide, and screens have two or three pixels for each.
 */
const MAX_SIDE = 4096;

/**
 * Version of the rules here, which a snapshot's manifest records: images of a snapshot that was checked by others are
 * decoded again. Raise it with every stricter rule.
 */
export const IMAGE_RULES_VERSION = 1;

/** Max pixels of all frames together: a browser must decode them for one ad, at four bytes each. */
const MAX_PIXELS = 50_000_000;

const MEGA = 1_000_000;

let loading: Promise<typeof sharp> | undefined;

/** Loaded for the first image: most feeds have none. */
async function loadSharp(): Promise<typeof sharp> {
  const loaded = (await import('sharp')).default;
  // Images are decoded one at a time and once each, so caching and parallelism gain nothing.
  loaded.cache(false);
  loaded.concurrency(1);
  return loaded;
}

/**
 * Decodes a whole image, as a browser will, once its dimensions are known to be acceptable: a file of a few kilobytes
 * could otherwise unpack to gigabytes.
 *
 * @returns the fault, or null
 */
export async function imageRulesFault(bytes: Buffer): Promise<string | null> {
  loading ??= loadSharp();
  const decode = await loading;
  const limits = { pages: -1, failOn: 'warning', limitInputPixels: MAX_PIXELS } as const;
  try {
    // Reads only headers, to distinguish too large an image from a broken one.
    const {
      width,
      height,
      pages = 1,
      pageHeight = height,
    } = await decode(bytes, {
      ...limits,
      limitInputPixels: false,
    }).metadata();
    const size = `${width.toLocaleString('en')} × ${pageHeight.toLocaleString('en')} pixels`;
    if (Math.max(width, pageHeight) > MAX_SIDE)
      return `has ${size}; at most ${MAX_SIDE.toLocaleString('en')} a side are allowed`;
    if (width * pageHeight * pages > MAX_PIXELS) {
      const frames = `${pages.toLocaleString('en')} frames of ${size}`;
      return `has ${frames}; at most ${MAX_PIXELS / MEGA} million pixels are allowed over all frames`;
    }
    // Shrinks row by row: decodes everything, and keeps little of it in memory.
    await decode(bytes, limits).resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
    return null;
  } catch (error) {
    const [reason = ''] = (error as Error).message.trim().split('\n').slice(-1);
    return `is damaged and cannot be shown whole (${reason.trim()})`;
  }
}

import type sharp from 'sharp';

/** The longest side of a picture. Slots are some hundred pixels wide, and screens count two or three for one. */
const MAX_SIDE = 4096;

/** Of all frames together: what a browser must decode for one ad, at four bytes each. */
const MAX_PIXELS = 50_000_000;

const MEGA = 1_000_000;

let loading: Promise<typeof sharp> | undefined;

/** Loaded for the first picture: most feeds have none. */
async function loadSharp(): Promise<typeof sharp> {
  const loaded = (await import('sharp')).default;
  // One picture at a time, each seen once: nothing is gained by keeping or dividing it.
  loaded.cache(false);
  loaded.concurrency(1);
  return loaded;
}

/**
 * Decodes a picture whole, as a browser will, after its dimensions were read and found usable: a file of some kilobytes may
 * otherwise unpack to gigabytes.
 *
 * @returns what is wrong with it, or null
 */
export async function pictureFault(bytes: Buffer): Promise<string | null> {
  loading ??= loadSharp();
  const decode = await loading;
  const limits = { pages: -1, failOn: 'warning', limitInputPixels: MAX_PIXELS } as const;
  try {
    // Reads headers alone, so that too large a picture is told from a broken one.
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
    // Made small row by row: all of it is decoded, little of it kept.
    await decode(bytes, limits).resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
    return null;
  } catch (error) {
    const [reason = ''] = (error as Error).message.trim().split('\n').slice(-1);
    return `is damaged and cannot be shown whole (${reason.trim()})`;
  }
}

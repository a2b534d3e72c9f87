import sharp from 'sharp';

/** Returns pixels that no format compresses well. */
function noise(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 2_654_435_761) >>> 13));
}

/** Returns a picture in one of the formats that a feed may use. */
export function picture(format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', width = 60, height = 50): Promise<Buffer> {
  return sharp(noise(width * height * 3), { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

/** Returns a picture of one colour, whose file is small at any size. */
export function plainPicture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
}

/** Returns an animation whose frames have different colours. */
export function animation(format: 'gif' | 'webp', frames: number, width: number, height: number): Promise<Buffer> {
  const size = width * height * 3;
  const pixels = Buffer.alloc(size * frames);
  for (let frame = 0; frame < frames; frame++) pixels.fill((frame * 37) % 256, frame * size, (frame + 1) * size);
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  const delay = Array.from({ length: frames }, () => 50);
  return sharp(pixels, { raw, limitInputPixels: false }).toFormat(format, { loop: 0, delay }).toBuffer();
}

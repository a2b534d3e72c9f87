import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkImage } from '../../../indexer/feed/image-file.js';
import { animation, picture, plainPicture } from '../../support/pictures.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('an image of a feed', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  /** @returns the extension that the image is stored under, or the fault */
  const check = async (bytes: Buffer): Promise<string> => {
    writeFileSync(path.join(folder, 'image'), bytes);
    const checked = await checkImage(folder, 'image');
    return typeof checked === 'string' ? checked : path.extname(checked.name);
  };

  for (const [format, extension] of [
    ['png', '.png'],
    ['jpeg', '.jpg'],
    ['webp', '.webp'],
    ['gif', '.gif'],
    ['avif', '.avif'],
  ] as const) {
    it(`is accepted as ${format} if it is whole, and refused if it is cut short`, async () => {
      const whole = await picture(format);
      expect(await check(whole)).to.equal(extension);
      expect(await check(whole.subarray(0, whole.length >> 1))).to.match(/^is damaged and cannot be shown whole \(/);
      expect(await check(whole.subarray(0, 40))).to.match(/^is damaged/);
    });
  }

  it('is refused if it is not a file, since reading a pipe would block', async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    expect(await checkImage(folder, 'pipe')).to.equal('is not a file');
  });

  it('is not decoded again once it has passed the check', async () => {
    const cut = (await picture('png')).subarray(0, 40);
    writeFileSync(path.join(folder, 'cut'), cut);
    const name = `${createHash('sha256').update(cut).digest('hex')}.png`;
    expect(await checkImage(folder, 'cut', new Set([name]))).to.include({ name });
  });

  it('is decoded once for all rows of a feed that name it', async () => {
    writeFileSync(path.join(folder, 'twice'), (await picture('webp')).subarray(0, 40));
    const seen = new Map<string, string | null>();
    const fault = await checkImage(folder, 'twice', new Set(), seen);
    expect([...seen.values()]).to.deep.equal([fault]);
    seen.set([...seen.keys()][0]!, 'was seen before');
    expect(await checkImage(folder, 'twice', new Set(), seen)).to.equal('was seen before');
  });

  it('is accepted if it is animated', async () => {
    expect(await check(await animation('gif', 12, 30, 20))).to.equal('.gif');
    expect(await check(await animation('webp', 12, 30, 20))).to.equal('.webp');
  });

  it('is refused if a side is longer than 4,096 pixels, however small the file', async () => {
    expect(await check(await plainPicture(4096, 1))).to.equal('.png');
    expect(await check(await plainPicture(4097, 1))).to.equal('has 4,097 × 1 pixels; at most 4,096 a side are allowed');
    expect(await check(await plainPicture(5000, 5000))).to.match(/^has 5,000 × 5,000 pixels/);
  });

  it('is refused if its header gives far larger dimensions than it contains', async () => {
    const claims = Buffer.from(PNG);
    claims.writeUInt32BE(50_000, 16);
    claims.writeUInt32BE(50_000, 20);
    expect(await check(claims)).to.match(/^(has 50,000 × 50,000 pixels|is damaged)/);
  });

  it('is refused if its frames add up to more than 50 million pixels', async () => {
    const many = await animation('gif', 60, 1000, 1000);
    expect(many.length).to.be.below(1_000_000);
    expect(await check(many)).to.equal(
      'has 60 frames of 1,000 × 1,000 pixels; at most 50 million pixels are allowed over all frames',
    );
  });
});

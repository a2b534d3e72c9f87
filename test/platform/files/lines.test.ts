import { expect } from 'chai';
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Line, linesBackwards, linesFrom } from '../../../platform/files/lines.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Longer than one block, with multi-byte characters at every block boundary. */
const LONG = 'é€😀'.repeat(20_000);

describe('the lines of a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    file = join(folder, 'lines');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const all = async (lines: AsyncIterable<Line>): Promise<Line[]> => {
    const found: Line[] = [];
    for await (const line of lines) found.push(line);
    return found;
  };
  const texts = async (lines: AsyncIterable<Line>) => (await all(lines)).map(({ text }) => text);

  it('are none if the file is missing or empty', async () => {
    expect(await texts(linesBackwards(file))).to.deep.equal([]);
    expect(await texts(linesFrom(file, 0))).to.deep.equal([]);
    writeFileSync(file, '\n\n');
    expect(await texts(linesBackwards(file))).to.deep.equal([]);
    expect(await texts(linesFrom(file, 0))).to.deep.equal([]);
  });

  it('are the same in both directions, whatever their length, with their byte offsets', async () => {
    const many = Array.from({ length: 30_000 }, (_, number) => `${number} é`);
    for (const lines of [['a'], ['a', LONG, 'b'], [LONG, LONG], many, ['x'.repeat(65_535), 'y'.repeat(65_536), 'z']]) {
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      writeFileSync(file, content);
      const forwards = await all(linesFrom(file, 0));
      expect(forwards.map(({ text }) => text)).to.deep.equal(lines);
      expect((await all(linesBackwards(file))).toReversed()).to.deep.equal(forwards);
      for (const { text, begin, end } of forwards.slice(-3)) {
        expect(content.subarray(begin, end).toString()).to.equal(`${text}\n`);
      }
    }
  });

  it('can be read on from an earlier position', async () => {
    writeFileSync(file, 'one\ntwo\nthree\n');
    const [, two] = await all(linesBackwards(file));
    expect(await texts(linesBackwards(file, two!.begin))).to.deep.equal(['one']);
    expect(await texts(linesFrom(file, two!.end))).to.deep.equal(['three']);
    expect(await texts(linesFrom(file, 14))).to.deep.equal([]);
  });

  it('are read forwards once complete, and from the start if the file has become shorter', async () => {
    writeFileSync(file, 'one\ntw');
    expect(await texts(linesFrom(file, 0))).to.deep.equal(['one']);
    expect(await texts(linesBackwards(file))).to.deep.equal(['tw', 'one']);
    appendFileSync(file, 'o\n');
    expect(await texts(linesFrom(file, 4))).to.deep.equal(['two']);
    writeFileSync(file, 'new\n');
    expect(await texts(linesFrom(file, 8))).to.deep.equal(['new']);
  });

  it('are read from a file larger than a string can be, and no further than needed', async () => {
    const large = 2 ** 30;
    writeFileSync(file, '');
    truncateSync(file, large);
    appendFileSync(file, '\nlast\n');
    for await (const { text, begin } of linesBackwards(file)) {
      expect([text, begin]).to.deep.equal(['last', large + 1]);
      break;
    }
    expect(await texts(linesFrom(file, large + 1))).to.deep.equal(['last']);
  });
});

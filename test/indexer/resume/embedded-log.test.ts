import { expect } from 'chai';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeEmbedded, removeOldEmbedded } from '../../../indexer/resume/embedded-files.js';
import { openEmbeddedLog } from '../../../indexer/resume/embedded-log.js';
import { readEmbedded } from '../../../indexer/resume/read-embedded.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const ENCODER = { fingerprint: '0123456789abcdef', dims: 3 };
const OTHER = { fingerprint: 'fedcba9876543210', dims: 3 };
const RECORD_BYTES = 32 + 3 * 4 + 8;
const TEXTS = Array.from({ length: 250 }, (_, at) => `text ${at}`);
const DAY = 24 * 3_600_000;

const fail = (fault: Error): never => {
  throw fault;
};

describe('vectors that are stored while a run embeds', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const files = (): string[] => {
    const directory = path.join(dataDir, 'embedded-so-far');
    return existsSync(directory) ? readdirSync(directory).toSorted() : [];
  };
  const file = (source = 'default', { fingerprint } = ENCODER): string =>
    path.join(dataDir, 'embedded-so-far', `${source}.${fingerprint}`);
  const write = async (texts: readonly string[], source = 'default', encoder = ENCODER): Promise<void> => {
    const log = await openEmbeddedLog(dataDir, source, encoder, fail);
    await Promise.all(texts.map((text) => log.add(text, vectorOf(text))));
    await log.close();
  };
  const vectorOf = (text: string): Float32Array => Float32Array.of(TEXTS.indexOf(text), 0.1, -2);
  const read = (texts: readonly string[] = TEXTS, encoder = ENCODER) => readEmbedded(dataDir, encoder, texts, fail);

  it('are read back to the bit, by the text that they belong to', async () => {
    await write(TEXTS);
    const found = await read(['unknown', ...TEXTS]);
    expect([...found.keys()]).to.have.members(TEXTS);
    for (const text of TEXTS) expect(found.get(text)).to.deep.equal(vectorOf(text));
  });

  it('are on the disk in batches, before the log is closed', async () => {
    const log = await openEmbeddedLog(dataDir, 'default', ENCODER, fail);
    for (const text of TEXTS) await log.add(text, vectorOf(text));
    expect((await read()).size).to.equal(200);
    await log.close();
    expect((await read()).size).to.equal(250);
  });

  it('are embedded again, with a warning, if the directory cannot be read', async () => {
    writeFileSync(path.join(dataDir, 'embedded-so-far'), 'a file where the directory should be');
    const faults: string[] = [];
    const found = await readEmbedded(dataDir, ENCODER, TEXTS, ({ message }) => faults.push(message));
    expect(found.size).to.equal(0);
    expect(faults.join()).to.match(/^ENOTDIR/);
  });

  it('are read without a torn last record, which the next log replaces', async () => {
    await write(TEXTS.slice(0, 3));
    const whole = readFileSync(file());
    for (const torn of [1, 31, RECORD_BYTES - 1]) {
      writeFileSync(file(), whole.subarray(0, whole.length - RECORD_BYTES + torn));
      expect([...(await read()).keys()]).to.deep.equal(TEXTS.slice(0, 2));
    }
    await write(TEXTS.slice(3, 5));
    expect([...(await read()).keys()]).to.deep.equal([0, 1, 3, 4].map((at) => TEXTS[at]));
  });

  it('are read without damaged records, such as blocks that a power loss left empty', async () => {
    await write(TEXTS.slice(0, 3));
    const bytes = readFileSync(file());
    bytes[RECORD_BYTES + 35]! ^= 1;
    writeFileSync(file(), bytes);
    appendFileSync(file(), Buffer.alloc(2 * RECORD_BYTES));
    await write(TEXTS.slice(3, 4));
    expect([...(await read()).keys()]).to.deep.equal([0, 2, 3].map((at) => TEXTS[at]));
  });

  it('are not used by another encoder, even in a file of its name', async () => {
    await write(TEXTS);
    expect((await read(TEXTS, OTHER)).size).to.equal(0);
    writeFileSync(file('default', OTHER), readFileSync(file()));
    expect((await read(TEXTS, OTHER)).size).to.equal(0);
  });

  it('are used by runs of other sources, and removed by the publication of their own', async () => {
    await write(TEXTS.slice(0, 2), 'shop.b');
    await write(TEXTS.slice(2, 4), 'shop');
    expect((await read()).size).to.equal(4);
    await removeEmbedded(dataDir, 'shop', [ENCODER]);
    expect(files()).to.deep.equal([`shop.b.${ENCODER.fingerprint}`]);
    await removeEmbedded(dataDir, 'shop.b', [ENCODER]);
    expect(existsSync(path.join(dataDir, 'embedded-so-far'))).to.equal(false);
  });

  it('are removed once another encoder is in use', async () => {
    await write(TEXTS.slice(0, 2), 'shop', OTHER);
    await write(TEXTS.slice(0, 2), 'shop', ENCODER);
    await removeEmbedded(dataDir, 'default', [ENCODER]);
    expect(files()).to.deep.equal([`shop.${ENCODER.fingerprint}`]);
  });

  it('are removed 30 days after the last one was added', async () => {
    const now = Date.now();
    for (const [source, days] of [
      ['older', 30],
      ['newer', 29],
    ] as const) {
      await write(TEXTS.slice(0, 2), source);
      utimesSync(file(source), new Date(), new Date(now - days * DAY));
    }
    await removeOldEmbedded(dataDir, now);
    expect(files()).to.deep.equal([`newer.${ENCODER.fingerprint}`]);
  });

  it('are given up with one warning where they cannot be written, and the run goes on', async () => {
    writeFileSync(path.join(dataDir, 'embedded-so-far'), 'a file');
    const faults: string[] = [];
    const log = await openEmbeddedLog(dataDir, 'default', ENCODER, ({ message }) => faults.push(message));
    for (const text of TEXTS) await log.add(text, vectorOf(text));
    await log.close();
    expect(faults).to.have.length(1);
    expect(faults[0]).to.match(/^vectors cannot be stored for a later run \(/);
  });
});

import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLandingUrls, writeLandingUrls } from '../../../models/snapshot/landing-urls.js';
import type { LandingUrls } from '../../../models/snapshot/landing-urls-format.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the table of landing URLs', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = temporaryDirectory();
    file = path.join(dataDir, 'landing-urls.json');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const leftAt = '2026-06-01T00:00:00.000Z';
  const entry = (id: string, gone: string | null = null) => ({
    landingUrl: `https://shop.example/${id}`,
    leftAt: gone,
  });
  const ids = [
    'plain',
    '__proto__',
    'a "quoted",\n},"images":{\n one',
    '"},',
    '夏',
    ...Array.from({ length: 2500 }, (_, at) => String(at)),
  ];
  const table: LandingUrls = {
    creatives: new Map(ids.map((id, at) => [id, entry('x', at % 2 === 0 ? null : leftAt)])),
    images: new Map([['a.png', leftAt]]),
  };
  const none: LandingUrls = { creatives: new Map(), images: new Map() };

  it('is read as written, whatever the ids', async () => {
    for (const each of [table, { ...table, images: none.images }, { ...table, creatives: none.creatives }, none]) {
      await writeLandingUrls(dataDir, each, null);
      expect(await readLandingUrls(dataDir)).to.deep.equal(each);
    }
  });

  it('is one JSON text that earlier releases can read, and theirs can be read too', async () => {
    await writeLandingUrls(dataDir, table, null);
    const whole = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof LandingUrls, object>;
    expect(new Map(Object.entries(whole.creatives))).to.deep.equal(table.creatives);
    writeFileSync(file, `${JSON.stringify(whole)}\n`);
    expect(await readLandingUrls(dataDir)).to.deep.equal(table);
  });

  it('is refused if it is cut short or has an invalid line', async () => {
    await writeLandingUrls(dataDir, table, null);
    const text = readFileSync(file, 'utf8');
    for (const damaged of [text.slice(0, -2), text.slice(0, text.length / 2), text.replace('"77":{', '"77":'), '']) {
      writeFileSync(file, damaged);
      expect(await readLandingUrls(dataDir).catch(String)).to.match(
        /cannot be used [^]*; the next index run rebuilds it/,
      );
    }
  });
});

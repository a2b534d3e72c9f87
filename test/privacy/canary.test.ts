import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { filesWith, makeCanary, spellingsOf } from './canary.js';

describe('the search for a canary', () => {
  const canary = makeCanary();
  const [first = ''] = canary.split(' ');
  const around = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from('before '), bytes, Buffer.from(' behind')]);

  const spelled: Readonly<Record<string, Buffer>> = {
    'UTF-8': Buffer.from(canary),
    'UTF-16LE': Buffer.from(canary, 'utf16le'),
    'UTF-16BE': Buffer.from(canary, 'utf16le').swap16(),
    hex: Buffer.from(Buffer.from(canary).toString('hex').toUpperCase()),
    percent: Buffer.from([...Buffer.from(canary)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')),
    'JSON escapes': Buffer.from([...Buffer.from(canary)].map((byte) => `\\u00${byte.toString(16)}`).join('')),
    'UTF-8 in gzip': gzipSync(around(Buffer.from(canary))),
    'UTF-8 in deflate': deflateSync(around(Buffer.from(canary))),
  };
  for (const [spelling, bytes] of Object.entries(spelled)) {
    it(`finds it as ${spelling}`, () => {
      expect(spellingsOf(canary, around(bytes))).to.include(spelling);
    });
  }

  it('finds it in base64 at any offset, in any encoding, in either alphabet', () => {
    for (const bytes of [Buffer.from(canary), Buffer.from(canary, 'utf16le')]) {
      for (const before of ['', 'x', 'xx', 'xxx']) {
        for (const alphabet of ['base64', 'base64url'] as const) {
          const text = Buffer.concat([Buffer.from(before), bytes, Buffer.from('xx')]).toString(alphabet);
          expect(spellingsOf(canary, Buffer.from(`"${text}"`)), `${alphabet} ${before}`).to.include('base64');
        }
      }
    }
  });

  it('finds half of it, in capitals, in a truncated stream, and in a brotli file', () => {
    expect(spellingsOf(canary, Buffer.from(first))).to.have.length.above(0);
    expect(spellingsOf(canary, Buffer.from(first.toUpperCase()))).to.have.length.above(0);
    const packed = gzipSync(Buffer.from(`${canary}${'x'.repeat(5000)}`), { level: 0 });
    expect(spellingsOf(canary, packed.subarray(0, 2000))).to.have.length.above(0);
    expect(spellingsOf(canary, brotliCompressSync(Buffer.from(canary)))).to.include('UTF-8 in brotli');
  });

  it('finds nothing if it is absent', () => {
    expect(spellingsOf(canary, Buffer.from(makeCanary()))).to.deep.equal([]);
    expect(spellingsOf(canary, gzipSync(Buffer.alloc(1000)))).to.deep.equal([]);
  });

  it('searches every file and every name below a directory', () => {
    const folder = temporaryDirectory();
    mkdirSync(path.join(folder, 'a', first), { recursive: true });
    writeFileSync(path.join(folder, 'a', 'log'), around(Buffer.from(canary)));
    expect(filesWith(canary, folder)).to.have.members([`a/${first} (its name): UTF-8`, 'a/log: UTF-8']);
    rmSync(folder, { recursive: true });
  });
});

import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { replaceDurably } from '../../../platform/files/durable.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a file that is replaced', () => {
  it('holds one writer’s whole content when several write at once; each gets the state of its own write', async () => {
    const folder = temporaryDirectory();
    const file = path.join(folder, 'current');
    const texts = Array.from({ length: 8 }, (_, at) => `${at}\n`.repeat(1000));
    const written = await Promise.all(texts.map((text) => replaceDurably(file, text)));
    const { ino } = statSync(file, { bigint: true });
    const last = written.findIndex((each) => each.ino === ino);
    expect(readFileSync(file, 'utf8')).to.equal(texts[last]);
    expect(readdirSync(folder)).to.deep.equal(['current']);
  });
});

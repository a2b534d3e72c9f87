import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeOldDrafts, replaceDurably } from '../../../platform/files/durable.js';
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

  it('is named by an error, whatever its draft was called', async () => {
    const folder = temporaryDirectory();
    const [file, place] = [path.join(folder, 'absent', 'keys.json'), path.join(folder, 'place')];
    mkdirSync(place);
    for (const each of [file, place]) {
      const message = await replaceDurably(each, '{}').catch((error: Error) => error.message);
      expect(message).to.contain(`'${each}'`).and.not.to.contain('.tmp');
    }
  });

  it('leaves no draft of a killed process for longer than an hour', async () => {
    const folder = temporaryDirectory();
    const names = ['keys.json.0123456789ab.tmp', 'urls.json.ba9876543210.tmp', 'own.tmp', 'keys.json'];
    for (const name of names) writeFileSync(path.join(folder, name), '');
    const now = Date.now();
    const old = new Date(now - 3_600_001);
    for (const name of names.slice(1)) utimesSync(path.join(folder, name), old, old);
    await removeOldDrafts(folder, now);
    expect(readdirSync(folder)).to.have.members(['keys.json.0123456789ab.tmp', 'own.tmp', 'keys.json']);
  });
});

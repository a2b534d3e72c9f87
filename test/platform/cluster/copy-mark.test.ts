import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { claimCopy, copiedFrom } from '../../../platform/cluster/copy-mark.js';
import { moveIdOf } from '../../../platform/cluster/move-mark.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** As many as the commands and the server that start together. */
const AT_ONCE = Array.from({ length: 8 }, (_, number) => number);

describe('an empty DATA_DIR', () => {
  it('becomes a copy of the database that several processes claim it for at once', async () => {
    const dataDir = temporaryDirectory();
    await Promise.all(AT_ONCE.map(() => claimCopy(dataDir, 'one')));
    expect(copiedFrom(dataDir)).to.equal('one');
    expect(readdirSync(dataDir)).to.deep.equal(['copy-of']);
  });

  it('becomes a copy of one database when it is claimed for two', async () => {
    const dataDir = temporaryDirectory();
    const claimed = await Promise.allSettled(['one', 'other'].map((id) => claimCopy(dataDir, id)));
    const refused = claimed.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect((refused.reason as Error).message).to.include('is the copy of another database');
    expect(copiedFrom(dataDir)).to.equal(['one', 'other'][claimed.findIndex(({ status }) => status === 'fulfilled')]);
  });

  it('has one id for its moves, whole in its file as soon as the file is there', async () => {
    const dataDir = temporaryDirectory();
    const ids = await Promise.all(AT_ONCE.map(() => moveIdOf(dataDir)));
    expect(new Set(ids)).to.have.property('size', 1);
    expect(readFileSync(path.join(dataDir, 'move-id'), 'utf8'))
      .to.equal(`${ids[0]}\n`)
      .and.match(/^[\da-f-]{36}\n$/);
  });
});

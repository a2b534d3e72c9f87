import { expect } from 'chai';
import type { Creative } from '../../../models/schema/creative.js';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { buildCreativeMaps, creativeMapsOf } from '../../../server/live-index/creative-maps.js';
import { testCreative } from '../../support/test-snapshot.js';
import { countTurns } from '../../support/event-loop-turns.js';

describe('the maps of a snapshot’s creatives', () => {
  const creatives = [
    testCreative('mower', { campaign: 'Spring', advertiser: 'Green' }),
    testCreative('mower-2', { campaign: 'Spring', advertiser: 'Green' }),
    testCreative('seeds', { campaign: 'Spring', advertiser: 'Blue' }),
    testCreative('tea'),
  ];
  /** How often the whole list was requested. */
  let walks: number;
  const snapshotOf = (list: readonly Creative[]): ServedSnapshot => {
    walks = 0;
    const snapshot = {
      get creatives() {
        walks++;
        return list;
      },
    };
    return snapshot as unknown as ServedSnapshot;
  };

  it('include all by id and one per advertiser’s campaign, and are built once for all callers', () => {
    const snapshot = snapshotOf(creatives);
    const { ids, campaigns } = creativeMapsOf(snapshot);
    expect(creatives.map(({ id }) => ids.get(id))).to.deep.equal(creatives);
    expect(ids.size).to.equal(4);
    expect([...campaigns]).to.deep.equal([['Spring', [creatives[0], creatives[2]]]]);
    expect(creativeMapsOf(snapshot).ids).to.equal(ids);
    expect(walks).to.equal(1);
  });

  it('are built in batches before it goes live, and not again', async () => {
    const snapshot = snapshotOf(Array.from({ length: 5000 }, (_, at) => testCreative(`c${at}`)));
    const { turns } = await countTurns(() => buildCreativeMaps(snapshot));
    expect(turns).to.be.at.least(2);
    expect(creativeMapsOf(snapshot).ids.size).to.equal(5000);
    expect(walks).to.equal(1);
  });

  it('include the creatives of each image', () => {
    const pictured = ['a.png', 'b.png', 'a.png', null].map((imageFile, at) => testCreative(`c${at}`, { imageFile }));
    const { withImage } = creativeMapsOf(snapshotOf(pictured));
    const ids = (file: string) => withImage(file).map(({ id }) => id);
    expect([ids('a.png'), ids('b.png'), ids('c.png')]).to.deep.equal([['c0', 'c2'], ['c1'], []]);
  });
});

import { expect } from 'chai';
import type { Creative } from '../../../models/schema/creative.js';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { nameCreatives, namedCreatives } from '../../../server/live-index/named-creatives.js';
import { madeCreative } from '../../support/made-snapshot.js';

describe('the creatives of a snapshot by name', () => {
  const creatives = [
    madeCreative('mower', { campaign: 'Spring', advertiser: 'Green' }),
    madeCreative('mower-2', { campaign: 'Spring', advertiser: 'Green' }),
    madeCreative('seeds', { campaign: 'Spring', advertiser: 'Blue' }),
    madeCreative('tea'),
  ];
  /** How often the whole list was asked for. */
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

  it('are all by id, and one of each advertiser’s campaign, named once for all who ask', () => {
    const snapshot = snapshotOf(creatives);
    const { ids, campaigns } = namedCreatives(snapshot);
    expect([...ids.keys()]).to.deep.equal(['mower', 'mower-2', 'seeds', 'tea']);
    expect(ids.get('tea')).to.equal(creatives[3]);
    expect([...campaigns]).to.deep.equal([['Spring', [creatives[0], creatives[2]]]]);
    expect(namedCreatives(snapshot).ids).to.equal(ids);
    expect(walks).to.equal(1);
  });

  it('are named in turns before it goes live, and not again', async () => {
    const snapshot = snapshotOf(Array.from({ length: 5000 }, (_, at) => madeCreative(`c${at}`)));
    let turns = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    next = setImmediate(count);
    await nameCreatives(snapshot);
    clearImmediate(next);
    expect(turns).to.be.at.least(2);
    expect(namedCreatives(snapshot).ids.size).to.equal(5000);
    expect(walks).to.equal(1);
  });
});

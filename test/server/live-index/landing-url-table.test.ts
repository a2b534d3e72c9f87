import { expect } from 'chai';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { LandingUrlTable } from '../../../server/live-index/landing-url-table.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { testCreative } from '../../support/test-snapshot.js';

describe('the table of landing URLs', () => {
  const snapshotOf = (urls: Record<string, string>): ServedSnapshot => {
    const creatives = Object.entries(urls).map(([id, landingUrl]) => testCreative(id, { landingUrl }));
    return { creatives } as unknown as ServedSnapshot;
  };

  it('keeps the last address of a creative for as long as the process lives', async () => {
    let live: ServedSnapshot | null = null;
    const table = new LandingUrlTable(temporaryDirectory(), () => live, { error: expect.fail });
    const goLive = async (urls: Record<string, string>): Promise<void> => {
      const next = snapshotOf(urls);
      await table.replaceLive(next, () => (live = next));
    };
    const known = () => ['stays', 'leaves'].map((id) => table.of(id));

    expect(known()).to.deep.equal([null, null]);
    await goLive({ stays: 'https://a.example/1', leaves: 'https://b.example/1' });
    expect(known()).to.deep.equal(['https://a.example/1', 'https://b.example/1']);
    await goLive({ stays: 'https://a.example/2', leaves: 'https://b.example/2' });
    await goLive({ stays: 'https://a.example/3' });
    expect(known()).to.deep.equal(['https://a.example/3', 'https://b.example/2']);
    await goLive({});
    expect(known()).to.deep.equal(['https://a.example/3', 'https://b.example/2']);
    await goLive({ leaves: 'https://b.example/4' });
    expect(known()).to.deep.equal(['https://a.example/3', 'https://b.example/4']);
  });
});

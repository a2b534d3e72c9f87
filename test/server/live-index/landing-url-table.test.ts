import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { LANDING_URLS } from '../../../models/snapshot/layout.js';
import { tableText } from '../../../models/snapshot/landing-urls-format.js';
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

  it('keeps no second copy of the live addresses, although the stored table has them', async () => {
    const dataDir = temporaryDirectory();
    const store = (...ids: readonly string[]) => {
      const creatives = new Map(ids.map((id) => [id, { landingUrl: `https://table.example/${id}`, leftAt: null }]));
      writeFileSync(path.join(dataDir, LANDING_URLS), tableText({ creatives, images: new Map() }));
    };
    let live: ServedSnapshot | null = null;
    const table = new LandingUrlTable(dataDir, () => live, { error: expect.fail });
    /** What is known besides the live snapshot. */
    const others = () => {
      const [now, known] = [live, [] as (string | null)[]];
      live = null;
      known.push(...['stays', 'left'].map((id) => table.of(id)));
      live = now;
      return known;
    };

    store('stays', 'left');
    await table.refresh();
    expect(others()).to.deep.equal(['https://table.example/stays', 'https://table.example/left']);
    const next = snapshotOf({ stays: 'https://a.example/1' });
    await table.replaceLive(next, () => (live = next));
    expect(others()).to.deep.equal([null, 'https://table.example/left']);
    store('stays', 'left', 'another');
    await table.refresh();
    expect(others()).to.deep.equal([null, 'https://table.example/left']);
    expect(['stays', 'another'].map((id) => table.of(id))).to.deep.equal([
      'https://a.example/1',
      'https://table.example/another',
    ]);
    const none = snapshotOf({});
    await table.replaceLive(none, () => (live = none));
    expect(others()).to.deep.equal(['https://a.example/1', 'https://table.example/left']);
  });
});

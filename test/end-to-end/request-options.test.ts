import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import type { Ad } from '../../models/schema/ad.js';
import type { MatchRequest } from '../../models/schema/match-request.js';
import { createClient } from '../../sdk/client.js';
import { eventually, WITHIN_A_SECOND_MS } from '../support/eventually.js';
import { Installation, match } from '../support/installation.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const TRAINS = 'User: How do I get train tickets from London to Edinburgh by rail?';

/** What a request may ask for, besides the ad: real catalogue, encoders, processes and HTTP. */
describe('a request over HTTP', function () {
  this.timeout(120_000);
  const adjacent = new Installation(temporaryDirectory());
  let origin: string;
  let key: string;
  before(async () => {
    await copySampleIndex(adjacent.dataDir);
    key = await adjacent.createKey('--publisher', 'Chat');
    ({ origin } = await adjacent.serve());
  });
  after(async () => {
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  });
  const ask = async (request: Partial<MatchRequest> = {}): Promise<Ad | string | null> => {
    const response = await match(origin, key, { context: TRAINS, ...request });
    return response.status === 200 ? ((await response.json()) as Ad) : response.headers.get('x-adjacent-reason');
  };
  const adFor = async (request?: Partial<MatchRequest>): Promise<Ad> => {
    const ad = await ask(request);
    return typeof ad === 'object' && ad !== null ? ad : expect.fail(`no ad: ${ad}`);
  };

  it('that excludes the ads shown so far gets another each time, until none is good enough', async () => {
    const shown: string[] = [];
    for (;;) {
      const ad = await ask({ exclude: { creatives: shown } });
      if (typeof ad === 'string') {
        expect(ad).to.equal('below-floor');
        break;
      }
      expect(shown).not.to.include(ad!.id);
      shown.push(ad!.id);
    }
    expect(shown.length).to.be.at.least(2);
    expect(shown[0]).to.match(/^trains-/);
  });

  it('that excludes an advertiser or a category gets no ad of it', async () => {
    const advertiser = 'RAILMARROW';
    for (const exclude of [{ advertisers: [advertiser] }, { categories: ['train  travel'] }]) {
      const ad = await ask({ exclude });
      if (typeof ad === 'object') expect(ad!.id).not.to.match(/^trains-/);
    }
    expect((await adFor({ exclude: { advertisers: ['Another'] } })).id).to.match(/^trains-/);
  });

  it('gets the disclosure with the REST client, which names the feed’s advertiser and another payer', async () => {
    expect(await adFor()).not.to.have.property('disclosure');
    const client = createClient({ apiKey: key, baseUrl: origin, disclosure: true });
    const disclosed = async () => (await client.match({ context: TRAINS })).ad?.disclosure;
    expect(await disclosed()).to.include({ advertiser: 'Railmarrow', payer: null, language: 'en' });
    await adjacent.run(
      'server/commands/campaigns/main.js',
      'set',
      'Railmarrow by rail',
      '--advertiser',
      'Media & Co',
      '--new',
    );
    await eventually(async () => {
      const disclosure = await disclosed();
      expect(disclosure).to.include({ advertiser: 'Railmarrow', payer: 'Media & Co' });
      expect(disclosure!.text).to.match(/^This ad was chosen .* Paid for by: \u2068Media & Co\u2069$/);
    }, WITHIN_A_SECOND_MS);
  });

  it('that excludes the payer gets no ad that it pays for', async () => {
    const ad = await ask({ exclude: { advertisers: ['Media & Co'] } });
    if (typeof ad === 'object') expect(ad!.id).not.to.match(/^trains-/);
  });
});

import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { feedRules } from '../../../server/campaigns/campaigns.js';
import { indexSet } from '../../../server/commands/calibrate/index-set.js';
import { type Offline, openOffline } from '../../../server/commands/shared/offline.js';
import { createDecide } from '../../../server/decide/decide.js';
import type { Decide, Requester } from '../../../server/domain/decision.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { GARDEN_FEED, GARDEN_NEEDS, NOT_GARDEN } from '../../support/garden.js';
import { Installation } from '../../support/installation.js';
import { NO_AD, OBVIOUS } from '../../support/obvious.js';
import { STUFFED_ADS } from '../../support/stuffed-ads.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Decisions of an installation with default settings, on the sample catalogue. */
describe('a decision with the quality profile', function () {
  this.timeout(240_000);
  let installation: Installation;
  let offline: Offline;
  let snapshot: LoadedSnapshot;
  let decide: Decide;
  const publisher = { ...defaultSettings('Somebody'), test: false };
  const somebody: Requester = { publisher, session: 'one', now: Date.now() };
  const options = () => ({
    encoder: offline.encoder,
    index: { current: () => snapshot },
    config: { dataDir: installation.dataDir, floor: null },
  });
  const answerTo = async (context: string): Promise<string> => {
    const decision = await decide({ context }, somebody);
    return decision.filled ? decision.creative.id : decision.reason;
  };

  before(async () => {
    installation = new Installation(temporaryDirectory(), { PROFILE: 'quality', WORKERS: '2' });
    await installation.indexSample();
    offline = await openOffline({
      dataDir: installation.dataDir,
      profile: 'quality',
      model: null,
      languages: 'en',
      workers: 1,
    });
    snapshot = await offline.snapshot();
    decide = createDecide(options());
  });
  after(async () => {
    await offline.close();
    await installation.end();
    rmSync(installation.dataDir, { recursive: true });
  });

  it('serves the obvious ad, occasionally none, never another; and none if no ad fits', async () => {
    let right = 0;
    for (const [context, creative] of OBVIOUS) {
      const answer = await answerTo(context);
      expect(answer, context).to.be.oneOf([creative, 'below-floor']);
      if (answer === creative) right++;
    }
    expect(right).to.be.at.least(OBVIOUS.length - 1);
    for (const context of NO_AD) expect(await answerTo(context), context).to.be.oneOf(['below-floor', 'sensitive']);
  });

  /** Creates the function that decides with a small catalogue. */
  const decideWith = async (feed: string): Promise<Decide> => {
    const folder = path.join(installation.dataDir, 'garden');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'creatives.jsonl'), feed);
    const garden = await indexSet(folder, path.join(folder, 'data'), offline.encoder, 'adjacent-base');
    return createDecide({ ...options(), index: { current: () => garden } });
  };

  it('fills plain needs from a catalogue of fifteen ads, and no others', async () => {
    const decideInGarden = await decideWith(GARDEN_FEED);
    for (const [context, creative] of GARDEN_NEEDS) {
      const decision = await decideInGarden({ context }, somebody);
      expect(decision.filled ? decision.creative.id : decision.reason, context).to.equal(creative);
    }
    for (const context of NOT_GARDEN) {
      expect((await decideInGarden({ context }, somebody)).filled, context).to.equal(false);
    }
  });

  it('shows no ad that is stuffed with words, even if hardly any other ad competes', async () => {
    const decideInGarden = await decideWith(GARDEN_FEED + STUFFED_ADS);
    for (const [context, creative] of GARDEN_NEEDS) {
      const decision = await decideInGarden({ context }, somebody);
      expect(decision.filled ? decision.creative.id : decision.reason, context).to.equal(creative);
    }
    for (const context of [...OBVIOUS.map(([need]) => need), ...NO_AD, ...NOT_GARDEN]) {
      const decision = await decideInGarden({ context }, somebody);
      expect(decision.filled ? decision.creative.id : '', context).to.not.match(/^stuffed/);
    }
  });

  it('is the same for a repeated request, from the cache', async () => {
    const [context] = OBVIOUS[2]!;
    const first = await decide({ context }, somebody);
    expect(await decide({ context }, somebody)).to.deep.equal(first);
    expect(await decide({ context }, { ...somebody, session: undefined })).to.deep.equal(first);
  });

  it('skips an ad whose budget ran out during the ranking', async () => {
    const [context, creative] = OBVIOUS[2]!;
    let looks = 0;
    const campaigns = {
      ...feedRules,
      ineligibility: ({ id }: { readonly id: string }) =>
        id === creative && ++looks > 1 ? ('budget-spent' as const) : null,
    };
    const decision = await createDecide({ ...options(), campaigns })({ context }, somebody);
    expect(looks).to.be.above(1);
    expect(decision.filled && decision.creative.id).to.not.equal(creative);
  });

  it('detects distress that no word names', async () => {
    const context = `User: which soup keeps for a week?\nAssistant: Lentil soup does. Cooking ahead?\nUser: for dad. mum always cooked, until march`;
    expect(await answerTo(context)).to.equal('sensitive');
  });

  it('detects distress many turns back in a long chat', async () => {
    const small = 'User: and another fact about otters?\nAssistant: They hold hands while they sleep.\n'.repeat(30);
    const context = `User: i took all the pills ten minutes ago and i want to die\nAssistant: Please call for help now.\n${small}User: any fun board games for four people?`;
    expect(await answerTo(context)).to.equal('sensitive');
  });
});

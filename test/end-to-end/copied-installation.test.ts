import { expect } from 'chai';
import { cpSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ad } from '../../models/schema/ad.js';
import { eventually } from '../support/eventually.js';
import { Installation, match } from '../support/installation.js';
import { OBVIOUS } from '../support/obvious.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Total {
  readonly impressions: number;
  readonly ignored: Readonly<Record<string, number>>;
}

describe('a copy of a data directory, served alongside the original', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  const original = new Installation(join(folder, 'data'));
  const copy = new Installation(join(folder, 'copy'));
  let [origin, copied, key] = ['', '', ''];

  before(async () => {
    await copySampleIndex(original.dataDir);
    key = await original.createKey('--publisher', 'Chat');
    ({ origin } = await original.serve());
    cpSync(original.dataDir, copy.dataDir, { recursive: true });
    ({ origin: copied } = await copy.serve());
  });
  after(async () => {
    await Promise.all([original.end(), copy.end()]);
    await rm(folder, { recursive: true });
  });

  const ad = async (from: string) => (await (await match(from, key, OBVIOUS[0]![0])).json()) as Ad;
  /** Loads a beacon from another server than the one that the ad names. */
  const load = async ({ impressionUrl }: Ad, at: string) =>
    expect((await fetch(impressionUrl.replace(/^http:\/\/[^/]+/, at))).status).to.equal(200);
  const total = async (of: Installation): Promise<Total> => {
    const out = await of.run('server/commands/report/main.js', '--format', 'json', '--by', '');
    return (JSON.parse(out) as { total: Total }).total;
  };

  it('serves ads that bill nothing at the original', async () => {
    await load(await ad(copied), origin);
    await load(await ad(origin), origin);
    await eventually(async () => {
      const { impressions, ignored } = await total(original);
      expect([impressions, ignored['foreign']]).to.deep.equal([1, 1]);
    });
  });

  it('does not prevent the original from rotating its keys, or from counting ads served before', async () => {
    const before = await ad(origin);
    const keyIdOf = ({ impressionUrl }: Ad): string =>
      Buffer.from(new URL(impressionUrl).searchParams.get('requestId')!, 'base64url').toString('hex', 1, 5);
    const out = await original.run('server/commands/signing-keys/main.js', 'rotate');
    await eventually(async () => expect(out.startsWith(keyIdOf(await ad(origin)))).to.equal(true));
    expect(out).not.to.include(keyIdOf(before));
    await load(before, origin);
    await load(await ad(origin), origin);
    await eventually(async () => expect((await total(original)).impressions).to.equal(3));
  });
});

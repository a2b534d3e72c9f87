import { expect } from 'chai';
import { describeLeaving, findLeaving } from '../../indexer/leaving.js';
import { testCreative } from '../support/test-snapshot.js';

describe('advertisers and campaigns that leave', () => {
  const creativesOf = (count: number) =>
    Array.from({ length: count }, (_, at) => testCreative(`c${at}`, { advertiser: `A${at}`, campaign: `C${at}` }));

  it('are named up to eight, or all with --verbose', () => {
    const leaving = findLeaving(creativesOf(400), []);
    const [advertisers, campaigns] = describeLeaving(leaving, false);
    expect(advertisers).to.match(/^ {2}advertisers removed: “A0”, .*“A7” and 392 more \(all with --verbose\)$/);
    expect(campaigns).to.match(/^ {2}campaigns removed: “C0” of “A0”, .*“C7” of “A7” and 392 more \(all with/);
    for (const line of describeLeaving(leaving, true)) expect(line).to.include('“A399”').and.not.include('more');
  });

  it('are all named if they are few, and in no line if there are none', () => {
    expect(describeLeaving(findLeaving(creativesOf(8), []), false)[0]).to.match(/“A7”$/);
    expect(describeLeaving(findLeaving(creativesOf(2), creativesOf(2)), false)).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { describeArriving } from '../../indexer/arriving.js';
import { testCreative } from '../support/test-snapshot.js';

describe('advertisers that are new to a source', () => {
  const creativesOf = (...names: readonly (string | null)[]) =>
    names.map((advertiser, at) => testCreative(`c${at}`, { advertiser }));

  it('are each named once, without those that were live before', () => {
    const after = creativesOf('Leaf', 'Root', 'Bud', 'Root');
    const lines = describeArriving('leaf', creativesOf('Leaf', null), after, false);
    expect(lines).to.deep.equal(['  advertisers new to source leaf: “Root”, “Bud”']);
    expect(describeArriving('leaf', creativesOf('Leaf'), creativesOf('Leaf', null), false)).to.deep.equal([]);
  });

  it('are named up to twenty, or all with --verbose', () => {
    const many = creativesOf(...Array.from({ length: 60 }, (_, at) => `A${at}`));
    const [line] = describeArriving('default', [], many, false);
    expect(line).to.include('“A19” and 40 more (all with --verbose)').and.not.include('“A20”');
    expect(describeArriving('default', [], many, true)[0]).to.match(/“A59”$/);
  });
});

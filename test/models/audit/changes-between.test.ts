import { expect } from 'chai';
import { changesBetween } from '../../../models/audit/changes-between.js';

describe('the changes between two lists', () => {
  it('look up the feed’s values of changed things only', () => {
    const asked: string[] = [];
    const [same, changed] = [
      { name: 'same', price: 1 },
      { name: 'changed', price: 1 },
    ];
    const changes = changesBetween<{ name: string; price?: number }>({
      kind: 'campaign',
      before: [same, changed],
      after: [same, { name: 'changed' }],
      nameOf: ({ name }) => name,
      except: ['name'],
      feedOf: (name) => {
        asked.push(name);
        return { price: 7 };
      },
    });
    expect(changes).to.deep.equal([
      { subject: { kind: 'campaign', name: 'changed' }, fields: { price: { old: 1, new: 7, feed: 'new' } } },
    ]);
    expect(asked).to.deep.equal(['changed']);
  });
});

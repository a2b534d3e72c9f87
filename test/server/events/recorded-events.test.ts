import { expect } from 'chai';
import { createRecordedEvents } from '../../../server/events/recorded-events.js';

describe('recorded events', () => {
  it('are remembered by kind and request id: the latest ones, at least half of the limit', () => {
    const events = createRecordedEvents(100);
    for (let each = 0; each < 1000; each++) events.add('click', `id-${each}`);
    expect(events.size).to.equal(100);
    events.add('click', 'id-1000');
    expect(events.size).to.equal(51);
    const known = [899, 900, 949, 950, 1000].map((each) => events.has('click', `id-${each}`));
    expect(known).to.deep.equal([false, false, false, true, true]);
    expect(events.has('view', 'id-999')).to.equal(false);
  });
});

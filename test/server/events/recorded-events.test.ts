import { expect } from 'chai';
import { createRecordedEvents } from '../../../server/events/recorded-events.js';

describe('recorded events', () => {
  it('are those of one kind and request id, and the latest ones up to their limit', () => {
    const events = createRecordedEvents(100);
    for (let each = 0; each < 1000; each++) events.add('click', `id-${each}`);
    events.add('click', 'id-999');
    expect(events.size).to.equal(100);
    const known = [899, 900, 999].map((each) => events.has('click', `id-${each}`));
    expect(known).to.deep.equal([false, true, true]);
    expect(events.has('view', 'id-999')).to.equal(false);
  });
});

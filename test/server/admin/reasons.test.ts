import { expect } from 'chai';
import { sharesOf } from '../../../server/admin/pages/reasons.js';
import type { NoFillReason } from '../../../models/schema/event-kinds.js';

describe('reasons in words', () => {
  it('exist for those that only a newer release knows, most frequent first', () => {
    const counts = { sensitive: 1, 'newer-reason': 3, language: 0 } as unknown as Record<NoFillReason, number>;
    expect(sharesOf(counts).map(({ reason, meaning, times }) => [reason, meaning, times])).to.deep.equal([
      ['newer-reason', 'A reason of a newer release', 3],
      ['sensitive', 'Sensitive subject: no ads by design', 1],
    ]);
  });
});

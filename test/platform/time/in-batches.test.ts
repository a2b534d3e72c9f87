import { expect } from 'chai';
import { inBatches, BATCH } from '../../../platform/time/in-batches.js';

describe('processing items in turns', () => {
  it('processes each item once, in order, and lets waiting tasks run in between', async () => {
    const used: number[] = [];
    const seen: number[] = [];
    let next: NodeJS.Immediate;
    const look = (): void => {
      seen.push(used.length);
      next = setImmediate(look);
    };
    next = setImmediate(look);
    const all = Array.from({ length: 2 * BATCH + 1 }, (_, at) => at);
    await inBatches(all, (item) => used.push(item));
    clearImmediate(next);
    expect(used).to.deep.equal(all);
    expect(seen).to.include.members([BATCH, 2 * BATCH]);
  });
});

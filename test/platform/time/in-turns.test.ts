import { expect } from 'chai';
import { inTurns, TURN } from '../../../platform/time/in-turns.js';

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
    const all = Array.from({ length: 2 * TURN + 1 }, (_, at) => at);
    await inTurns(all, (item) => used.push(item));
    clearImmediate(next);
    expect(used).to.deep.equal(all);
    expect(seen).to.include.members([TURN, 2 * TURN]);
  });
});

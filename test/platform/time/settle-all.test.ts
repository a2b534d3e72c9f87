import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { settleAll } from '../../../platform/time/settle-all.js';

describe('several closings', () => {
  it('are all waited for when one fails, and the first failure is thrown', async () => {
    const ended: string[] = [];
    const slow = pause(20).then(() => void ended.push('slow'));
    const failures = [Promise.reject(new Error('one')), Promise.reject(new Error('other'))];
    expect(await settleAll([slow, ...failures]).catch(String)).to.equal('Error: one');
    expect(ended).to.deep.equal(['slow']);
    await settleAll([]);
  });
});

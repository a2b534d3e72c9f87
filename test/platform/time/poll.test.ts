import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { poll } from '../../../platform/time/poll.js';
import { eventually } from '../../support/eventually.js';

describe('polling', () => {
  const fail = (error: unknown): never => {
    throw error;
  };

  it('repeats until it is closed', async () => {
    let looks = 0;
    const polling = poll(async () => void looks++, { everyMs: 1, onError: fail });
    await eventually(() => expect(looks).to.be.above(3));
    await polling.close();
    const then = looks;
    await pause(20);
    expect(looks).to.equal(then);
  });

  it('never overlaps runs, and waits for the current run when it is closed', async () => {
    let [underWay, ended] = [0, 0];
    const look = async (): Promise<void> => {
      expect(++underWay).to.equal(1);
      await pause(10);
      underWay--;
      ended++;
    };
    const polling = poll(look, { everyMs: 1, onError: fail });
    await eventually(() => expect(underWay).to.equal(1));
    await polling.close();
    expect({ underWay, looked: ended > 0 }).to.deep.equal({ underWay: 0, looked: true });
  });

  it('runs at once when woken, once more when woken during a run, and closes without a pause', async () => {
    let looks = 0;
    const look = async (): Promise<void> => {
      await pause(20);
      looks++;
    };
    const polling = poll(look, { everyMs: 60_000, onError: fail });
    polling.wake();
    await pause(5);
    polling.wake();
    await eventually(() => expect(looks).to.equal(2));
    polling.wake();
    await pause(5);
    await polling.close();
    expect(looks).to.equal(3);
  });

  it('continues after a failed run and reports the error', async () => {
    const errors: unknown[] = [];
    const look = async (): Promise<void> => {
      throw new Error(`look ${errors.length}`);
    };
    const polling = poll(look, { everyMs: 1, onError: (error) => void errors.push(String(error)) });
    await eventually(() => expect(errors).to.include.members(['Error: look 0', 'Error: look 1']));
    await polling.close();
  });

  it('pauses for several times the duration of the last run', async () => {
    const began: number[] = [];
    const look = async (): Promise<void> => {
      began.push(performance.now());
      await pause(30);
    };
    const polling = poll(look, { everyMs: 1, restFactor: 3, onError: fail });
    await eventually(() => expect(began).to.have.length.above(1));
    await polling.close();
    expect(began[1]! - began[0]!).to.be.above(30 + 3 * 25);
  });
});

import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEncoder } from '../../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import { watchProcess } from '../../support/child-process.js';

const CHILD = fileURLToPath(new URL('exit-child.js', import.meta.url));

/** Returns how a process ended that exits with status 7 itself. */
async function exit(phase: 'loading' | 'encoding' | 'failing', afterMs: number) {
  const { code, signal, stderr } = await watchProcess(spawn(process.execPath, [CHILD, phase, String(afterMs)])).ended;
  return { code, signal, stderr };
}

describe('the exit of a process', () => {
  const inOrder = { code: 7, signal: null, stderr: '' };

  it('keeps its status, without an abort, while threads encode', async () => {
    for (const afterMs of [0, 1, 2, 3, 5, 8, 13]) expect(await exit('encoding', afterMs)).to.deep.equal(inOrder);
  });

  it('keeps its status while threads load the model', async () => {
    const began = performance.now();
    const encoder = await createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 2 });
    const loadMs = performance.now() - began;
    await encoder.close();
    // The model loads in the second half; before that, threads start and read their modules.
    for (const share of [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
      expect(await exit('loading', Math.round(share * loadMs))).to.deep.equal(inOrder);
  });

  it('does not wait for threads that find no model', async () => {
    expect(await exit('failing', 60)).to.deep.equal(inOrder);
  });
});

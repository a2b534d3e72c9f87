import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildLargeGraph } from '../../../models/usearch/large-graph.js';
import { watchProcess } from '../../support/child-process.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const CHILD = fileURLToPath(new URL('exit-child.js', import.meta.url));

describe('the exit of a process that searches a large catalogue', () => {
  const folder = temporaryDirectory();
  const file = path.join(folder, 'graph.usearch');
  after(() => rmSync(folder, { recursive: true }));
  const exit = async (afterMs: number) => {
    const child = spawn(process.execPath, [CHILD, String(afterMs), file]);
    const { code, signal, stderr } = await watchProcess(child).ended;
    return { code, signal, stderr };
  };
  const clean = { code: 7, signal: null, stderr: '' };

  it('keeps its exit status while searches are running', async () => {
    const vectors = clusteredVectors(20_000, 256, 100);
    buildLargeGraph({ vectors, dims: 256, file });
    for (const afterMs of [0, 10, 60]) expect(await exit(afterMs)).to.deep.equal(clean);
  });
});

import { expect } from 'chai';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createEncoder } from '../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { Installation } from '../support/installation.js';
import { listen } from '../support/listen.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('npm run fetch-model', function () {
  this.timeout(60_000);
  const adjacent = new Installation(temporaryDirectory());
  after(() => rm(adjacent.dataDir, { recursive: true }));

  it('downloads a model from a hub, for use by the MODEL setting', async () => {
    const { directory } = readProfile(PROFILES.fast, '');
    const hub = await listen((request, response) => {
      const [, file = ''] = /^\/someone\/small\/resolve\/main\/([^?]+)/.exec(request.url ?? '') ?? [];
      readFile(path.join(directory, file)).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
    });
    try {
      const output = await adjacent.run('indexer/fetch-model.js', 'someone/small', '--hub', `${hub.origin}/`);
      expect(output).to.include('384 dimensions');
    } finally {
      await hub.close();
    }
    const profile = readProfile('someone/small', path.join(adjacent.dataDir, 'models'));
    const encoder = await createEncoder(profile, { workers: 1 });
    expect(await encoder.embed('User: hello', 'context')).to.have.length(384);
    await encoder.close();
  });

  it('refuses weight formats that it cannot fetch', async () => {
    const { code, stderr } = await adjacent.attempt('indexer/fetch-model.js', 'someone/small', '--dtype', 'q4');
    expect(code).to.equal(2);
    expect(stderr).to.include('--dtype must be q8 or fp32');
  });

  it('exits with 1 if there is no such model', async () => {
    const hub = await listen((_, response) => response.writeHead(404).end());
    const ended = adjacent.run('indexer/fetch-model.js', 'someone/nothing', '--hub', `${hub.origin}/`);
    const error = await ended.catch((thrown: unknown) => thrown);
    await hub.close();
    expect(String(error))
      .to.match(/ended with 1/)
      .and.include('someone/nothing');
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { createKey } from '../../../server/keys/key-operations.js';
import { generateKey, isKeyShaped } from '../../../server/keys/key.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { openKeys } from '../../../server/keys/verify-key.js';
import type { Keys } from '../../../server/domain/publisher.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const wishes = { publisher: 'P', test: false, origins: [], requestsPerMinute: null, expiresAt: null };

describe('live keys', () => {
  let dataDir: string;
  let keys: Keys;
  let logged: string[];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const store = () => keyStore(dataDir);
  const isLive = (key: string) => keys.check(key, undefined).valid;

  beforeEach(async () => {
    logged = [];
    dataDir = temporaryDirectory();
    keys = await openKeys({ store: store(), clock: Date.now, log });
  });
  afterEach(async () => {
    await keys.close();
    rmSync(dataDir, { recursive: true });
  });

  it('are empty while there is no file, and follow the first one', async () => {
    const { key } = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(key)).to.equal(true), 5000);
  });

  it('stay in force while the file is damaged or missing, which is logged, and follow its repair', async () => {
    const first = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(first.key)).to.equal(true));
    writeFileSync(store().path, '{"version": 1, "keys": [');
    await eventually(() => expect(logged.join()).to.include('the file cannot be read'));
    expect(isLive(first.key)).to.equal(true);
    rmSync(store().path);
    await eventually(() => expect(logged.join()).to.include('gone'));
    expect(isLive(first.key)).to.equal(true);
    const second = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(second.key)).to.equal(true));
    expect(isLive(first.key)).to.equal(false);
  });

  it('refuse to open a damaged file', async () => {
    writeFileSync(store().path, 'keys: none');
    const refusal = await openKeys({ store: store(), clock: Date.now, log }).catch((error: Error) => error);
    expect(refusal).to.be.instanceOf(Error).with.property('message').that.includes('keys.json cannot be used');
  });

  it('do not include random text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isLive(text) && !isLive(`pub_${text}`)));
  });

  it('have a checksum that detects any one wrong character', () => {
    const key = generateKey();
    for (let place = 4; place < key.length; place++) {
      const wrong = key[place] === 'x' ? 'y' : 'x';
      expect(isKeyShaped(key.slice(0, place) + wrong + key.slice(place + 1))).to.equal(false);
    }
  });
});

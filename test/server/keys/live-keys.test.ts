import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { createKey } from '../../../server/keys/changes.js';
import { generateKey, isKeyShaped } from '../../../server/keys/key.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { openKeys } from '../../../server/keys/verify-key.js';
import { readMoment } from '../../../models/time/operator-moment.js';
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
  const isLive = (key: string) => keys.check(key, undefined).live;

  beforeEach(async () => {
    logged = [];
    dataDir = temporaryDirectory();
    keys = await openKeys({ store: store(), clock: Date.now, log });
  });
  afterEach(async () => {
    await keys.close();
    rmSync(dataDir, { recursive: true });
  });

  it('are none while there is no file, and follow the first one within 5 s', async () => {
    const { key } = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(key)).to.equal(true), 5000);
  });

  it('stay as they were while the file is damaged or gone, which is logged, and follow its repair', async () => {
    const first = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(first.key)).to.equal(true));
    writeFileSync(store().path, '{"version": 1, "keys": [');
    await eventually(() => expect(logged.join()).to.include('damaged'));
    expect(isLive(first.key)).to.equal(true);
    rmSync(store().path);
    await eventually(() => expect(logged.join()).to.include('gone'));
    expect(isLive(first.key)).to.equal(true);
    const second = await store().change((file) => createKey(file, wishes, Date.now()));
    await eventually(() => expect(isLive(second.key)).to.equal(true));
    expect(isLive(first.key)).to.equal(false);
  });

  it('refuse to start on a damaged file', async () => {
    writeFileSync(store().path, 'keys: none');
    const refusal = await openKeys({ store: store(), clock: Date.now, log }).catch((error: Error) => error);
    expect(refusal).to.be.instanceOf(Error).with.property('message').that.includes('keys.json cannot be used');
  });

  it('are never live for any text that is not one', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isLive(text) && !isLive(`pub_${text}`)));
  });

  it('have a form that catches every single wrong letter', () => {
    const key = generateKey();
    for (let place = 4; place < key.length; place++) {
      const wrong = key[place] === 'x' ? 'y' : 'x';
      expect(isKeyShaped(key.slice(0, place) + wrong + key.slice(place + 1))).to.equal(false);
    }
  });
});

describe('moments of the keys command', () => {
  const read = (text: string, zone = 'UTC') => {
    const at = readMoment(text, zone, 0);
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  it('are date-times, dates in the time zone, or durations', () => {
    expect(read('2027-03-01T12:00:00+02:00')).to.equal('2027-03-01T10:00:00.000Z');
    expect(read('2027-03-01', 'Europe/Berlin')).to.equal('2027-02-28T23:00:00.000Z');
    expect(read('2027-07-01', 'America/New_York')).to.equal('2027-07-01T04:00:00.000Z');
    expect(read('2027-03-28', 'Europe/Berlin')).to.equal('2027-03-27T23:00:00.000Z');
    expect(read('90d')).to.equal('1970-04-01T00:00:00.000Z');
  });
  it('are nothing else', () => {
    for (const text of ['', 'soon', '2027-02-30', '2027-13-01', '12:00', '1w', '2027-03-01T12:00:00']) {
      expect(read(text), text).to.equal(undefined);
    }
  });
});

import { expect } from 'chai';
import {
  KeyInputError,
  parseNewKey,
  publisherName,
  readOverlap,
  type NewKeyInput,
} from '../../../server/keys/new-key.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const input: NewKeyInput = {
  publisher: 'Garden',
  test: false,
  origins: [],
  expires: undefined,
  requestsPerMinute: undefined,
};
const read = (changes: Partial<NewKeyInput>) => parseNewKey({ ...input, ...changes }, 'Europe/Berlin', NOW);
const refused = (changes: Partial<NewKeyInput>, field: string, message: RegExp): void => {
  expect(() => read(changes))
    .to.throw(KeyInputError, message)
    .with.property('field', field);
};

describe('the input for a new key', () => {
  it('gives a key without limits if only a publisher is named', () => {
    expect(read({ publisher: '  Garden\n' })).to.deep.equal({
      publisher: 'Garden',
      test: false,
      origins: [],
      requestsPerMinute: null,
      expiresAt: null,
    });
    expect(read({ test: true }).test).to.equal(true);
  });

  it('accepts a future expiry, as a moment, a date or a duration', () => {
    expect(read({ expires: '2026-11-22T12:00:00.001Z' }).expiresAt).to.equal(NOW + 1);
    expect(read({ expires: '2027-01-31' }).expiresAt).to.equal(Date.UTC(2027, 0, 30, 23));
    expect(read({ expires: '90s' }).expiresAt).to.equal(NOW + 90_000);
    refused({ expires: '2026-11-22T12:00:00Z' }, 'expires', /^expires is in the past$/);
    refused({ expires: '0' }, 'expires', /past/);
    refused({ expires: 'soon' }, 'expires', /must be an RFC 3339 date-time, a date .* or a duration/);
  });

  it('accepts a limit of requests from 1 to 999999', () => {
    expect(read({ requestsPerMinute: '1' }).requestsPerMinute).to.equal(1);
    expect(read({ requestsPerMinute: '999999' }).requestsPerMinute).to.equal(999_999);
    for (const requestsPerMinute of ['0', '1000000', '1.5', '-1', '', 'x'])
      refused({ requestsPerMinute }, 'requests-per-minute', /whole number from 1 to 999999/);
  });

  it('accepts origins without a path', () => {
    expect(read({ origins: ['HTTPS://A.example', 'http://b.example:81/'] }).origins).to.deep.equal([
      'https://a.example',
      'http://b.example:81',
    ]);
    for (const origin of ['a.example', 'ftp://a.example', 'https://a.example/path', 'https://u@a.example'])
      refused({ origins: [origin] }, 'origin', /must be an origin such as https:\/\/example.com, not/);
  });

  it('gives a browser key if origins are given, and a server key otherwise, unless a mode is given', () => {
    const origins = ['https://a.example'];
    expect(read({ origins }).mode).to.equal('browser');
    expect(read({ origins, mode: 'server' }).mode).to.equal('server');
    expect(read({ mode: 'browser' }).mode).to.equal('browser');
    expect(read({})).to.not.have.property('mode');
    refused({ origins, mode: 'app' }, 'mode', /must be one of server, browser/);
  });

  it('accepts a publisher name of up to 200 characters in any script', () => {
    expect(publisherName('Cafe\u0301')).to.equal('Café');
    expect(publisherName('x'.repeat(200))).to.have.length(200);
    expect(() => publisherName('x'.repeat(201))).to.throw(KeyInputError, 'at most 200 characters');
    for (const nothing of [undefined, '', ' \n'])
      expect(() => publisherName(nothing)).to.throw(KeyInputError, 'is missing');
    for (const steering of ['a\u0007b', 'a\ud800'])
      expect(() => publisherName(steering)).to.throw(KeyInputError, 'control characters');
  });

  it('sets how long a rotated key stays valid', () => {
    expect(readOverlap('24h')).to.equal(24 * 3_600_000);
    expect(readOverlap('0')).to.equal(0);
    expect(() => readOverlap('24')).to.throw(KeyInputError, 'overlap must be a duration');
  });
});

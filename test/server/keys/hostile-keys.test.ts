import { expect } from 'chai';
import fc from 'fast-check';
import { createCrawlerCheck, isPrefetch } from '../../../server/events/automated-fetch.js';
import { createKey } from '../../../server/keys/key-operations.js';
import type { KeyFile } from '../../../server/keys/key-file.js';
import { createKeyVerifier } from '../../../server/keys/verify-key.js';
import { anyText } from '../../support/hostile-values.js';

describe('arbitrary headers', () => {
  const file: KeyFile = { version: 1, publishers: [], keys: [] };
  const wishes = { publisher: 'Chat', test: false, expiresAt: null, requestsPerMinute: null };
  const { key } = createKey(file, { ...wishes, origins: ['https://chat.example'] }, 0);
  const verify = createKeyVerifier(file);

  it('contain no live key', () => {
    const near = fc.tuple(fc.nat({ max: key.length }), anyText).map(([at, text]) => key.slice(0, at) + text);
    fc.assert(
      fc.property(fc.oneof(anyText, near), (text) => {
        if (text !== key) expect(verify(text, 'https://chat.example', 0)).to.include({ valid: false });
      }),
      { numRuns: 2000 },
    );
  });

  it('do not match an allowed origin', () => {
    const near = anyText.map((text) => `https://chat.example${text}`);
    fc.assert(
      fc.property(fc.oneof(anyText, near), (origin) => {
        const allowed = origin.toLowerCase() === 'https://chat.example';
        expect(verify(key, origin, 0).valid).to.equal(allowed);
      }),
      { numRuns: 1000 },
    );
  });

  it('can be checked for crawlers and prefetches', () => {
    const isCrawler = createCrawlerCheck();
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isCrawler(text)).to.be.a('boolean');
        expect(isPrefetch({ 'sec-purpose': text, 'x-moz': text })).to.be.a('boolean');
      }),
      { numRuns: 1000 },
    );
  });
});

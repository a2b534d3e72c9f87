import { expect } from 'chai';
import fc from 'fast-check';
import { parseSigningKeys } from '../../../server/domain/signing-key.js';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { testClaims } from '../../support/test-claims.js';
import { anyText, damaged } from '../../support/hostile-values.js';

describe('arbitrary request ids', () => {
  const keys = parseSigningKeys(Buffer.alloc(32, 7).toString('base64'));
  const ids = createRequestIds(keys);
  const good = ids.issue(testClaims());
  const refused = (text: string): void => {
    expect(ids.verify(text)).to.deep.equal({ valid: false, reason: text === '' ? 'missing' : 'invalid' });
  };

  it('are refused if they are random text', () => {
    fc.assert(fc.property(anyText, refused), { numRuns: 2000 });
  });

  it('are refused if they only begin like a real id', () => {
    const head = Buffer.concat([Buffer.of(1), Buffer.from(keys[0].id, 'hex')]);
    const bytes = fc.uint8Array({ maxLength: 300 }).map((rest) => Buffer.concat([head, rest]).toString('base64url'));
    fc.assert(fc.property(bytes, refused), { numRuns: 2000 });
  });

  it('are refused if any part of a real id was changed', () => {
    const changed = damaged(Buffer.from(good, 'base64url')).map((bytes) => bytes.toString('base64url'));
    fc.assert(
      fc.property(
        changed.filter((id) => id !== good),
        refused,
      ),
      { numRuns: 2000 },
    );
  });
});

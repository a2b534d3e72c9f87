import { expect } from 'chai';
import fc from 'fast-check';
import { isStringAt, packStrings, stringAt } from '../../../platform/collections/packed-strings.js';

describe('packed strings', () => {
  it('are read as they were packed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }),
        fc.string(),
        async (strings, other) => {
          const packed = await packStrings(strings);
          for (const [number, string] of strings.entries()) {
            expect(stringAt(packed, number)).to.equal(string);
            for (const each of [...strings, other, `${string}a`, string.slice(1)])
              expect(isStringAt(packed, number, each)).to.equal(each === string);
          }
        },
      ),
    );
  });
});

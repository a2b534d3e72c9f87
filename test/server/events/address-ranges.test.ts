import { expect } from 'chai';
import fc from 'fast-check';
import { BlockList } from 'node:net';
import { readAddressRanges } from '../../../server/events/address-ranges.js';

describe('a list of address ranges', () => {
  it('contains the addresses of its ranges, in any spelling, and no others', () => {
    const ranges = readAddressRanges(
      '# made up\n192.0.2.0/24 # one\n\n198.51.100.7\r\n192.0.2.128/25\n203.0.113.77/28\n2001:db8::/32\n2001:db9::1\n',
    );
    const inside = ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.9', '192.0.2.9:80', '198.51.100.7', '203.0.113.64'];
    for (const address of [...inside, '203.0.113.79', '2001:DB8::9', '2001:db8:ffff::', '[2001:db9::1]:443'])
      expect(ranges.has(address), address).to.equal(true);
    const outside = [
      '192.0.1.255',
      '192.0.3.0',
      '198.51.100.8',
      '203.0.113.63',
      '203.0.113.80',
      '2001:db9::2',
      '::',
      '',
    ];
    for (const address of [...outside, undefined, 'unknown', '255.255.255.255'])
      expect(ranges.has(address), address).to.equal(false);
    expect(readAddressRanges('').has('192.0.2.1')).to.equal(false);
  });

  it('agrees with Node’s BlockList, which checks every range', () => {
    const address = fc
      .tuple(fc.constantFrom(10, 11), fc.nat(3), fc.nat(255), fc.nat(255))
      .map((bytes) => bytes.join('.'));
    const range = fc.tuple(address, fc.integer({ min: 8, max: 32 }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 20 }), fc.array(address, { minLength: 1 }), (list, addresses) => {
        const expected = new BlockList();
        for (const [first, bits] of list) expected.addSubnet(first, bits, 'ipv4');
        const ranges = readAddressRanges(list.map((each) => each.join('/')).join('\n'));
        for (const each of addresses) expect(ranges.has(each), each).to.equal(expected.check(each, 'ipv4'));
      }),
    );
  });

  it('is refused with the invalid line', () => {
    const wrong = [
      '192.0.2.0/33',
      'nothing',
      '192.0.2.0/',
      '192.0.2/24',
      '2001:db8::/129',
      '192.0.2.1:80',
      '::ffff:192.0.2.0/120',
    ];
    for (const line of wrong) {
      expect(() => readAddressRanges(`192.0.2.0/24\n${line}`), line).to.throw(
        `line 2: "${line}" is not an address range`,
      );
    }
    for (const line of ['0.0.0.0/0', '192.0.0.0/7', '::/0']) {
      expect(() => readAddressRanges(line), line).to.throw(`line 1: "${line}" is wider than`);
    }
  });
});

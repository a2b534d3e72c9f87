import { expect } from 'chai';
import { clientOf, clientSiteOf } from '../../../server/domain/client-address.js';
import { networkOf } from '../../../server/domain/network.js';

describe('the client behind an address', () => {
  it('is the address itself for IPv4, in any spelling', () => {
    for (const spelling of [
      '192.0.2.7',
      '::ffff:192.0.2.7',
      '::FFFF:c000:207',
      '192.0.2.7:4711',
      '[::ffff:192.0.2.7]:80',
      '64:ff9b::c000:207',
    ])
      expect(clientOf(spelling), spelling).to.equal('192.0.2.7');
    expect(clientOf('192.0.2.8')).not.to.equal(clientOf('192.0.2.7'));
  });

  it('is the first 64 bits for IPv6, since one customer has all their addresses', () => {
    const one = clientOf('2001:db8:1:2::1');
    for (const spelling of [
      '2001:DB8:1:2:0:0:0:1',
      '2001:db8:1:2:ffff::9',
      '[2001:db8:1:2::7]:443',
      '2001:db8:1:2::1%eth0',
    ])
      expect(clientOf(spelling), spelling).to.equal(one);
    expect(clientOf('2001:db8:1:3::1')).not.to.equal(one);
  });

  it('is one client whatever the port, wherever clients are distinguished', () => {
    for (const port of ['', ':1', ':4711']) expect(networkOf(`203.0.113.5${port}`)).to.equal('203.0.113.5');
    expect(networkOf('[2001:db8:1:2::7]:443')).to.equal(networkOf('2001:db8:1:2::1'));
  });

  it('has the first 48 bits of IPv6 as its site, since one customer may have all their networks', () => {
    expect(clientSiteOf('2001:db8:1:2::1')).to.equal(clientSiteOf('2001:db8:1:ffff::1'));
    expect(clientSiteOf('2001:db8:1:2::1')).not.to.equal(clientSiteOf('2001:db8:2:2::1'));
    expect(clientSiteOf('192.0.2.7')).to.equal('192.0.2.7');
  });

  it('is the same for all text that is not an address', () => {
    for (const text of [
      undefined,
      '',
      'unknown',
      '1',
      '0x7f.1',
      '192.0.2.256',
      '192.0.2.7, 192.0.2.8',
      `192.0.2.7:${'8'.repeat(100)}`,
      ':::',
      '2001:db8::/32',
    ])
      expect(clientOf(text), text).to.equal('unknown');
  });
});

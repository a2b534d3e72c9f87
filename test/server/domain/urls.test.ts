import { expect } from 'chai';
import { createAdUrls } from '../../../server/domain/urls.js';

describe('the addresses of an ad', () => {
  const urls = createAdUrls('https://ads.example/a');

  it('hold whatever an id is made of', () => {
    expect(urls.target('ä-😀', 'r')).to.match(/\/target\/%C3%A4-%F0%9F%98%80\?requestId=r$/);
  });

  it('can be made of an id with half a character, which an older version let into its snapshots', () => {
    expect(urls.target('a\ud83d', 'r')).to.match(/\/target\/a%EF%BF%BD\?requestId=r$/);
  });
});

import { expect } from 'chai';
import { createAdUrls } from '../../../server/domain/urls.js';

describe('the URLs of an ad', () => {
  const urls = createAdUrls('https://ads.example/a');

  it('can contain any id', () => {
    expect(urls.target('ä-😀', 'r')).to.match(/\/target\/%C3%A4-%F0%9F%98%80\?requestId=r$/);
  });

  it('can be made from an id with a lone surrogate, which an older version accepted into its snapshots', () => {
    expect(urls.target('a\ud83d', 'r')).to.match(/\/target\/a%EF%BF%BD\?requestId=r$/);
  });
});

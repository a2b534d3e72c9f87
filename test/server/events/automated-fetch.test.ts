import { expect } from 'chai';
import { createCrawlerCheck } from '../../../server/events/automated-fetch.js';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

describe('a user agent', () => {
  const isCrawler = createCrawlerCheck();
  const known = () => [CRAWLER, BROWSER, '', undefined].map((userAgent) => isCrawler(userAgent));

  it('gets the same verdict however often it is checked, whatever others came since', () => {
    const first = known();
    expect(first).to.deep.equal([true, false, false, false]);
    expect(known()).to.deep.equal(first);
    for (let other = 0; other < 2500; other++) {
      expect(isCrawler(`${other % 2 === 0 ? CRAWLER : BROWSER} ${other}`), String(other)).to.equal(other % 2 === 0);
    }
    expect(known()).to.deep.equal(first);
  });

  it('may be longer than those that are cached', () => {
    const long = ' x'.repeat(1000);
    expect([isCrawler(CRAWLER + long), isCrawler(BROWSER + long)]).to.deep.equal([true, false]);
  });
});

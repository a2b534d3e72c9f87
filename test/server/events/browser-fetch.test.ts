import { expect } from 'chai';
import { isBrowserFetch } from '../../../server/events/browser-fetch.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
const picture = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('a browser fetch', () => {
  const beacon = (headers: object, marked = true) =>
    isBrowserFetch('impression', { 'user-agent': CHROME, ...picture, ...headers }, marked);
  const click = (headers: object, marked = true) =>
    isBrowserFetch('click', { 'user-agent': CHROME, ...link, ...headers }, marked);

  it('has the user agent of a browser that people use', () => {
    const browsers = [
      CHROME,
      `${CHROME} Edg/143.0.0.0`,
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP3A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile Safari/537.36',
    ];
    for (const userAgent of browsers) {
      expect(beacon({ 'user-agent': userAgent }), userAgent).to.equal(true);
      expect(click({ 'user-agent': userAgent, 'sec-fetch-user': '?1' }), userAgent).to.equal(true);
    }
  });

  it('does not have the user agent of a library, app, crawler or headless browser, or none', () => {
    const others = [
      undefined,
      '',
      'Browser 1',
      'Mozilla/5.0',
      'Mozilla/5.0 (compatible)',
      'curl/8.5.0',
      'node',
      'python-requests/2.31.0',
      'okhttp/4.9.3',
      'GardenChat/3.4.1 CFNetwork/1410.0.3 Darwin/22.6.0',
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      CHROME.replace('Chrome/', 'HeadlessChrome/'),
      `${CHROME} ${'x'.repeat(1000)}`,
    ];
    for (const userAgent of others) {
      expect(beacon({ 'user-agent': userAgent }), userAgent).to.equal(false);
      expect(click({ 'user-agent': userAgent }), userAgent).to.equal(false);
    }
  });

  it("has the Sec-Fetch headers of a page's resource, for a beacon", () => {
    expect(beacon({ 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' })).to.equal(
      true,
    );
    expect(beacon({ 'sec-fetch-mode': 'cors' }), 'an image without cookies, as the script loads it').to.equal(true);
    const others = [
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': undefined },
      { 'sec-fetch-site': 'elsewhere' },
      { 'sec-fetch-mode': undefined },
      { 'sec-fetch-dest': undefined },
      { 'sec-fetch-dest': 'script' },
      link,
    ];
    for (const headers of others) expect(beacon(headers), JSON.stringify(headers)).to.equal(false);
  });

  it('has the Sec-Fetch headers of a followed link, for a click', () => {
    expect(click({ 'sec-fetch-user': '?1' })).to.equal(true);
    expect(click({ 'sec-fetch-site': 'none' }), 'opened from another app').to.equal(true);
    expect(click({}), 'a page that navigates by script').to.equal(false);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
    expect(click({ 'user-agent': firefox }), 'likewise in Firefox').to.equal(false);
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15';
    expect(click({ 'user-agent': safari }), 'Safari, which does not say who navigates').to.equal(true);
    expect(click({ 'sec-fetch-dest': 'iframe', 'sec-fetch-user': '?1' }), 'a link within a frame').to.equal(true);
    expect(click({ 'sec-fetch-dest': 'iframe' }), 'a frame that loads by itself').to.equal(false);
    const others = [picture, { 'sec-fetch-mode': 'cors' }, { 'sec-fetch-dest': undefined }, { 'sec-fetch-user': '?0' }];
    for (const headers of others) expect(click(headers), JSON.stringify(headers)).to.equal(false);
  });

  it('may have no Sec-Fetch headers over plain http, but no wrong ones', () => {
    const none = { 'sec-fetch-site': undefined, 'sec-fetch-mode': undefined, 'sec-fetch-dest': undefined };
    expect([beacon(none), click(none)]).to.deep.equal([false, false]);
    expect([beacon(none, false), click(none, false)]).to.deep.equal([true, true]);
    expect(click(picture, false)).to.equal(false);
    expect(beacon({ ...none, 'user-agent': 'curl/8.5.0' }, false)).to.equal(false);
  });
});

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { fill, send, type Respond } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import { recordEvents, publisherPages, scriptTag } from '../support/publisher-pages.js';

const CONTEXT = 'Which boots for the hills?';

/** Returns everything that a page learns from a `process` and a `getAd`. Fails if either throws. */
const processAndGetAd = (page: Page, context: unknown) =>
  page.evaluate(async (given) => {
    const sdk = window.adsdk!;
    const calls: string[] = [];
    const processed = await sdk.process({
      context: given as string,
      onFill: (ad) => calls.push(`onFill ${ad.id}`),
      onNoFill: (reason) => calls.push(`onNoFill ${reason}`),
      onError: (error) => calls.push(`onError ${error.code}${error.status === undefined ? '' : ` ${error.status}`}`),
    });
    const got = await sdk.getAd({ context: given as string });
    return { calls, processed: processed?.id ?? null, got: got?.id ?? null, error: calls.length };
  }, context);

const expectFailure = (outcome: Awaited<ReturnType<typeof processAndGetAd>>, error: string) =>
  expect(outcome).to.deep.include({ calls: [`onError ${error}`], processed: null, got: null });

const uninvited = (consoleMessages: readonly string[]) =>
  consoleMessages.filter((line) => !/Failed to load resource/.test(line));

describe('The script under faults', () => {
  const pages = publisherPages();
  const SLOT = '<div data-adsdk-slot>The page’s own words</div>';

  describe('resolves to null, calls onError and leaves the page unchanged for a response such as:', () => {
    const answers: [string, Respond, string][] = [
      ['500', (response) => send(response, 500, { error: 'internal error' }), 'http 500'],
      ['401', (response) => send(response, 401, { error: 'invalid or expired API key' }), 'http 401'],
      ['400', (response) => send(response, 400, { error: 'context is required' }), 'http 400'],
      ['503 with an HTML page', (response) => send(response, 503, '<h1>Busy</h1>'), 'http 503'],
      ['garbage', (response) => send(response, 200, '{"id": "boo'), 'invalid-ad'],
      ['an empty body', (response) => send(response, 200, ''), 'invalid-ad'],
      ['null', (response) => send(response, 200, 'null'), 'invalid-ad'],
      ['a list', (response) => send(response, 200, '[]'), 'invalid-ad'],
      ...['id', 'name', 'impressionUrl', 'targetUrl', 'score'].map((field): [string, Respond, string] => [
        `an ad without ${field}`,
        fill({ [field]: undefined }),
        'invalid-ad',
      ]),
      ['an ad whose text is a number', fill({ text: 7 }), 'invalid-ad'],
      ['an ad whose name is an object', fill({ name: {} }), 'invalid-ad'],
      ['a connection closed each time', (response) => response.destroy(), 'network'],
    ];
    for (const [name, respond, error] of answers) {
      it(name, async () => {
        pages.network.respond(respond);
        const { page, consoleMessages } = await pages.open(SLOT);
        const events = await recordEvents(page);
        let posts = 0;
        page.on('request', (request) => (posts += Number(request.method() === 'POST')));
        expectFailure(await processAndGetAd(page, CONTEXT), error);
        const code = error.split(' ')[0];
        expect(await events()).to.deep.equal([`error ${code}`, `error ${code}`]);
        expect(await page.locator('[data-adsdk-slot]').innerHTML()).to.equal('The page’s own words');
        expect(uninvited(consoleMessages)).to.deep.equal([]);
        expect(posts).to.equal(error === 'network' ? 4 : 2);
        expect(pages.network.events).to.deep.equal([]);
      });
    }
  });

  it('treats a 404 without a reason as no ad', async () => {
    pages.network.respond((response) => send(response, 404, 'nothing here'));
    const { page } = await pages.open(SLOT);
    expect(await processAndGetAd(page, CONTEXT)).to.deep.include({
      calls: ['onNoFill null'],
      processed: null,
      got: null,
    });
  });

  it('accepts an ad without text and image', async () => {
    pages.network.respond(fill({ text: undefined, imageUrl: undefined }));
    const { page } = await pages.open(SLOT);
    const ad = await page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }));
    expect(ad).to.include({ text: null, imageUrl: null });
  });

  it('renders an ad without a score, as a server may pass it on, but no other incomplete ad', async () => {
    const { page } = await pages.open(SLOT);
    const events = await recordEvents(page);
    const rendered = await page.evaluate(async () => {
      const slot = document.querySelector<HTMLElement>('[data-adsdk-slot]')!;
      const { score: _score, ...raw } = (await window.adsdk!.getAd({ context: 'boots' }))!;
      const wrong = [{ ...raw, score: '1' }, { ...raw, score: null }, { ...raw, id: undefined }, {}] as never[];
      return [raw, ...wrong].map((ad) => window.adsdk!.render(ad, slot) !== null);
    });
    expect(rendered).to.deep.equal([true, false, false, false, false]);
    expect((await events()).slice(0, 2)).to.deep.equal(['fill boots-1', 'error invalid-ad']);
  });

  for (const [when, fault] of [
    ['before the answer', (response) => response.destroy()],
    [
      'in the middle of the answer',
      (response) => {
        response.writeHead(200, { 'content-length': '500' }).write('{"id":');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ] as [string, Respond][]) {
    it(`retries once when the connection breaks ${when}`, async () => {
      pages.network.respond((response, asked, count) => (count === 1 ? fault : fill())(response, asked, count));
      const { page, consoleMessages } = await pages.open(SLOT);
      expect(await page.evaluate(() => window.adsdk!.getAd({ context: 'boots' }))).to.have.property('id', 'boots-1');
      expect(pages.network.asked).to.have.length(2);
      expect(uninvited(consoleMessages)).to.deep.equal([]);
    });
  }

  it('reports the error network when the browser is offline', async () => {
    const { page } = await pages.open(SLOT);
    await page.context().setOffline(true);
    expectFailure(await processAndGetAd(page, CONTEXT), 'network');
  });

  it('gives up after 3 s, whether the headers or the body are late', async () => {
    for (const slow of [() => {}, (response) => response.writeHead(200).write('{')] as Respond[]) {
      pages.network.respond(slow);
      const { page } = await pages.open(SLOT);
      await page.clock.install({ time: 0 });
      await page.clock.pauseAt(1000);
      await page.evaluate(() => {
        const noted = window as unknown as { outcome: unknown };
        const settled = (outcome: unknown) => (noted.outcome = outcome);
        document.addEventListener('adsdk:error', (event) => settled(event.detail.code));
        void window.adsdk!.getAd({ context: 'boots' });
      });
      const outcome = () => page.evaluate(() => (window as unknown as { outcome?: string }).outcome ?? 'waiting');
      await page.clock.runFor(2999);
      expect(await outcome()).to.equal('waiting');
      await page.clock.runFor(1);
      // The clock is stopped, so the timeout fires no later than now.
      await eventually(async () => expect(await outcome()).to.equal('timeout'));
    }
  });

  it('gives up after the timeout given to init', async () => {
    pages.network.respond(() => {});
    const { page } = await pages.open(SLOT);
    await page.evaluate(() => window.adsdk!.init({ apiKey: 'pub_test', timeout: 100 }));
    expectFailure(await processAndGetAd(page, CONTEXT), 'timeout');
  });

  it('sends nothing for a context that is not text', async () => {
    const { page } = await pages.open(SLOT);
    for (const context of [undefined, null, '', ' \n', 7, {}])
      expectFailure(await processAndGetAd(page, context), 'invalid-argument');
    expect(pages.network.asked).to.deep.equal([]);
  });

  it('does not throw when called without options', async () => {
    const { page, consoleMessages } = await pages.open(SLOT);
    const outcome = await page.evaluate(async () => {
      const sdk = window.adsdk as unknown as Record<string, (...none: unknown[]) => unknown>;
      return [await sdk['getAd']!(), await sdk['process']!(), sdk['render']!(), sdk['destroy']!(), sdk['init']!()];
    });
    expect(outcome.map((value) => value ?? null)).to.deep.equal([null, null, null, null, null]);
    expect(consoleMessages).to.deep.equal([]);
  });

  describe('init', () => {
    const bare = (html = SLOT) => pages.openBare(html + scriptTag(pages.network.origin));

    it('not called makes requests fail with not-initialised, and nothing is sent', async () => {
      const { page, consoleMessages } = await bare();
      expectFailure(await processAndGetAd(page, CONTEXT), 'not-initialised');
      expect(pages.network.asked).to.deep.equal([]);
      expect(consoleMessages).to.deep.equal([]);
    });

    for (const key of ['sk_secret', '', undefined, null, 42, {}]) {
      it(`with ${JSON.stringify(key)} as key makes requests fail with not-initialised, and the key is never sent`, async () => {
        const { page } = await bare();
        await page.evaluate((apiKey) => window.adsdk!.init({ apiKey: apiKey as string }), key);
        expectFailure(await processAndGetAd(page, CONTEXT), 'not-initialised');
        expect(pages.network.asked).to.deep.equal([]);
      });
    }

    it('called twice sets the later key and address, and keeps the session', async () => {
      const { page } = await pages.open(SLOT);
      await page.evaluate(async () => {
        await window.adsdk!.getAd({ context: 'boots' });
        window.adsdk!.init({ apiKey: 'pub_other' });
        await window.adsdk!.getAd({ context: 'boots' });
      });
      const [first, second] = pages.network.asked.map(({ headers }) => headers);
      expect(second!['x-api-key']).to.equal('pub_other');
      expect(second!['x-session-id']).to.equal(first!['x-session-id']);
    });
  });

  it('keeps one session, and counts one impression per ad, when it is loaded twice', async () => {
    const { page } = await pages.open(SLOT);
    const same = await page.evaluate(async (src) => {
      const first = window.adsdk!;
      const script = Object.assign(document.createElement('script'), { src });
      const loaded = new Promise((resolve) => script.addEventListener('load', resolve));
      document.head.append(script);
      await loaded;
      return first === window.adsdk;
    }, `${pages.network.origin}/sdk/adsdk.js?again`);
    expect(same).to.equal(true);
  });

  it('works on a page that has an element with the id adsdk', async () => {
    const { page } = await pages.open(`<div id="adsdk">${SLOT}</div>`);
    expect(await processAndGetAd(page, CONTEXT)).to.deep.include({ calls: ['onFill boots-1'] });
  });

  it('refuses missing elements before it renders or counts anything', async () => {
    const { page, consoleMessages } = await pages.open('<p id="target"></p>');
    const events = await recordEvents(page);
    const outcome = await page.evaluate(async () => {
      const ad = (await window.adsdk!.getAd({ context: 'boots' }))!;
      const strange = [null, undefined, document.createElement('div'), 'slot', {}] as HTMLElement[];
      return strange.map((element) => window.adsdk!.render(ad, element));
    });
    expect(outcome).to.deep.equal([null, null, null, null, null]);
    expect(await events()).to.deep.equal(Array.from({ length: 5 }, () => 'error invalid-argument'));
    expect(pages.network.events).to.deep.equal([]);
    expect(consoleMessages).to.deep.equal([]);
  });

  it('calls onNoFill when the page has no slot, without a request', async () => {
    const { page } = await pages.open();
    expect(await processAndGetAd(page, CONTEXT)).to.deep.include({ calls: ['onNoFill no-slots'], processed: null });
    expect(pages.network.asked).to.have.length(1); // the request of getAd
  });

  it('calls onNoFill, and counts nothing, when the slot was removed during the request', async () => {
    pages.network.respond((response, asked, count) => setTimeout(() => fill()(response, asked, count), 100));
    const { page } = await pages.open(SLOT);
    const calls = await page.evaluate(async () => {
      const seen: string[] = [];
      const done = window.adsdk!.process({
        context: 'boots',
        onFill: () => seen.push('onFill'),
        onNoFill: (reason) => seen.push(`onNoFill ${reason}`),
      });
      document.querySelector('[data-adsdk-slot]')!.remove();
      await done;
      return seen;
    });
    expect(calls).to.deep.equal(['onNoFill no-slots']);
    expect(pages.network.events).to.deep.equal([]);
  });

  it('does not catch the page’s own exceptions: a callback that throws does not fail the request', async () => {
    const { page, consoleMessages } = await pages.open(SLOT);
    const outcome = await page.evaluate(async () => {
      const errors: string[] = [];
      document.addEventListener('adsdk:fill', () => {
        throw new Error('the page’s listener');
      });
      const ad = await window.adsdk!.process({
        context: 'boots',
        onFill: () => {
          throw new Error('the page’s callback');
        },
        onError: (error) => errors.push(error.code),
      });
      return { id: ad?.id, errors };
    });
    expect(outcome).to.deep.equal({ id: 'boots-1', errors: [] });
    expect(consoleMessages).to.deep.equal(['exception: the page’s listener', 'exception: the page’s callback']);
  });

  describe('on a page that has changed built-in objects', () => {
    it('reports the error network without fetch', async () => {
      const { page } = await pages.open(SLOT);
      await page.evaluate(() => Reflect.deleteProperty(window, 'fetch'));
      expectFailure(await processAndGetAd(page, CONTEXT), 'network');
    });

    it('reports the error network when fetch throws', async () => {
      const { page } = await pages.open(SLOT);
      await page.evaluate(() => {
        window.fetch = () => {
          throw new Error('blocked');
        };
      });
      expectFailure(await processAndGetAd(page, CONTEXT), 'network');
    });

    it('keeps its time limit and obeys the signal when fetch ignores signals', async () => {
      const { page } = await pages.open(SLOT);
      await page.evaluate(() => {
        window.fetch = () => new Promise(() => {});
        window.adsdk!.init({ apiKey: 'pub_test', timeout: 100 });
      });
      expectFailure(await processAndGetAd(page, CONTEXT), 'timeout');
    });

    it('shows and counts nothing without adopted style sheets, as in older browsers', async () => {
      const { page } = await pages.open(SLOT);
      await page.evaluate(() => Reflect.deleteProperty(window, 'CSSStyleSheet'));
      const outcome = await processAndGetAd(page, CONTEXT);
      expect(outcome).to.deep.include({ calls: ['onError unsupported'], processed: null });
      expect(await page.locator('[data-adsdk-slot]').innerHTML()).to.equal('The page’s own words');
      expect(pages.network.events).to.deep.equal([]);
    });

    /** Pollutes every name that the script or the browser would read from an options object. */
    const POLLUTION = `
      const names = ['apiKey', 'baseUrl', 'timeout', 'context', 'messages', 'role', 'content', 'parts', 'type', 'signal', 'template', 'position', 'onlyNew', 'onFill',
        'onNoFill', 'onError', 'id', 'name', 'text', 'imageUrl', 'impressionUrl', 'targetUrl', 'score', 'code', 'status',
        'mode', 'credentials', 'cache', 'redirect', 'integrity', 'referrer', 'keepalive', 'delegatesFocus',
        'slotAssignment', 'root', 'rootMargin', 'threshold', 'once', 'q', 'extra', 'class', 'toJSON', 'adsdkTemplate',
        'labels', 'ad', 'learnMore', 'en', 'language', 'lang', 'dir', 'title', 'exclude', 'creatives', 'disclosure',
        'advertiser'];
      for (const name of names) Object.prototype[name] = 'polluted';
      Array.prototype.extra = Array.prototype.last = () => 'polluted';
      String.prototype.toJSON = Array.prototype.toJSON = () => 'polluted';`;

    it('ignores options on Object.prototype', async () => {
      const { page, consoleMessages } = await pages.openBare(
        `${SLOT}<script>${POLLUTION}</script>${scriptTag(pages.network.origin)}
        <script>
          adsdk.init({ __proto__: null, apiKey: 'pub_test' });
          adsdk.process({ context: '${CONTEXT}', onFill: (ad) => document.body.setAttribute('data-filled', ad.name) })
            .then(() => adsdk.getAd({ messages: [{}, { role: 'user' }, { role: 'user', content: [{ type: 'text', text: 'boots' }] }], exclude: { advertisers: ['A'] } }));
        </script>`,
      );
      await page.locator('body[data-filled="Fellwalk Boots"]').waitFor();
      expect(await page.locator('[data-adsdk-slot] .ad').innerText())
        .to.contain('resoled free')
        .and.to.contain('Learn more');
      await eventually(() => expect(pages.network.asked).to.have.length(2));
      expect(JSON.parse(pages.network.asked[0]!.body)).to.deep.equal({ context: CONTEXT });
      expect(JSON.parse(pages.network.asked[1]!.body)).to.deep.equal({
        messages: [{ role: 'user', content: 'boots' }],
        exclude: { advertisers: ['A'] },
      });
      expect(await page.locator('adsdk-ad .ad *').count()).to.equal(6);
      expect(pages.network.asked[0]!.headers['x-api-key']).to.equal('pub_test');
      await eventually(() => expect(pages.network.events).to.deep.equal(['impression r1', 'view r1']));
      expect(consoleMessages).to.deep.equal([]);
    });

    it('ignores fields on Object.prototype: an ad without them stays invalid', async () => {
      pages.network.respond(fill({ targetUrl: undefined }));
      const { page } = await pages.open(SLOT);
      const code = await page.evaluate(async () => {
        (Object.prototype as Record<string, unknown>)['targetUrl'] = 'https://evil.example/';
        let seen = '';
        await window.adsdk!.process({ context: 'boots', onError: (error) => (seen = error.code) });
        return seen;
      });
      expect(code).to.equal('invalid-ad');
    });
  });

  describe('given a signal', () => {
    /** Starts a `process` and a `getAd` with the same signal, which `turn.abort()` in the page aborts. */
    const start = (page: Page, aborted: boolean) =>
      page.evaluate((before) => {
        const seen: string[] = [];
        const note = (what: string) => () => void seen.push(what);
        const turn = new AbortController();
        if (before) turn.abort();
        const { signal } = turn;
        const [onFill, onNoFill, onError] = [note('onFill'), note('onNoFill'), note('onError')];
        const answers = Promise.all([
          window.adsdk!.process({ context: 'boots', signal, onFill, onNoFill, onError }),
          window.adsdk!.getAd({ context: 'boots', signal }),
        ]);
        Object.assign(window, { turn, outcome: answers.then((ads) => ({ ads, seen })) });
      }, aborted);
    const outcome = (page: Page) => page.evaluate(() => (window as unknown as { outcome: Promise<unknown> }).outcome);

    it('sends and calls nothing when it was aborted beforehand', async () => {
      const { page, consoleMessages } = await pages.open(SLOT);
      await start(page, true);
      expect(await outcome(page)).to.deep.equal({ ads: [null, null], seen: [] });
      expect(pages.network.asked).to.deep.equal([]);
      expect(consoleMessages).to.deep.equal([]);
    });

    it('cancels the request, and renders and calls nothing, when it is aborted during the request', async () => {
      let gone = 0;
      pages.network.respond((response) => response.on('close', () => gone++));
      const { page, consoleMessages } = await pages.open(SLOT);
      await start(page, false);
      await eventually(() => expect(pages.network.asked).to.have.length(2));
      await page.evaluate(() => (window as unknown as { turn: AbortController }).turn.abort());
      expect(await outcome(page)).to.deep.equal({ ads: [null, null], seen: [] });
      await eventually(() => expect(gone).to.equal(2));
      expect(consoleMessages).to.deep.equal([]);
    });

    it('renders, counts and calls nothing when it is aborted after the response has arrived', async () => {
      const { page } = await pages.open(SLOT);
      const outcome = await page.evaluate(async () => {
        const turn = new AbortController();
        const fetched = window.fetch;
        window.fetch = async (...request) => {
          const { status, headers } = await fetched(...request);
          return { status, headers, text: async () => (queueMicrotask(() => turn.abort()), '{}') } as Response;
        };
        const seen: string[] = [];
        const ad = await window.adsdk!.process({
          context: 'boots',
          signal: turn.signal,
          onFill: () => seen.push('onFill'),
          onNoFill: () => seen.push('onNoFill'),
          onError: () => seen.push('onError'),
        });
        return { ad, seen };
      });
      expect(outcome).to.deep.equal({ ad: null, seen: [] });
      expect(await page.locator('adsdk-ad').count()).to.equal(0);
    });
  });
});

import { expect } from 'chai';
import { fill, noFill } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import type { Page } from 'playwright-core';
import { publisherPages } from '../support/publisher-pages.js';

describe('The script on a page that changes', () => {
  const pages = publisherPages();
  const SLOTS = '<div data-adsdk-slot id="one"></div><div data-adsdk-slot id="two"></div>';
  /** Returns an ad with the number of its request in its name. */
  const numbered = () =>
    pages.network.respond((response, asked, count) => fill({ name: `Ad ${count}` })(response, asked, count));

  it('replaces the ads of filled slots on process', async () => {
    numbered();
    const { page } = await pages.open(SLOTS);
    await page.evaluate(() => window.adsdk!.process({ context: 'boots' }));
    await page.evaluate(() => window.adsdk!.process({ context: 'boots' }));
    expect(await page.locator('b').allInnerTexts()).to.deep.equal(['Ad 2', 'Ad 2']);
  });

  it('leaves filled slots alone on process with onlyNew, and sends no request when all are filled', async () => {
    numbered();
    const { page } = await pages.open(SLOTS);
    await page.evaluate(() => window.adsdk!.process({ context: 'boots' }));
    await page.evaluate(() => {
      document.querySelector('#two')!.insertAdjacentHTML('afterend', '<div data-adsdk-slot id="three"></div>');
      return window.adsdk!.process({ context: 'boots', onlyNew: true });
    });
    expect(await page.locator('b').allInnerTexts()).to.deep.equal(['Ad 1', 'Ad 1', 'Ad 2']);
    const outcome = await page.evaluate(async () => {
      let reason: string | null = null;
      const ad = await window.adsdk!.process({ context: 'boots', onlyNew: true, onNoFill: (why) => (reason = why) });
      return { ad, reason };
    });
    expect(outcome).to.deep.equal({ ad: null, reason: 'no-slots' });
    expect(pages.network.asked).to.have.length(2);
  });

  for (const [what, respond] of [
    ['there is no ad for the newest turn', noFill('sensitive')],
    ['the request fails', (response) => response.writeHead(500).end()],
  ] as readonly (readonly [string, Parameters<typeof pages.network.respond>[0]])[]) {
    it(`removes the earlier turn's ad from the slots on process if ${what}`, async () => {
      pages.network.respond((response, asked, count) => (count === 1 ? fill() : respond)(response, asked, count));
      const { page } = await pages.open(`<div data-adsdk-slot><p>own</p></div>${SLOTS}<div id="other"></div>`);
      await page.evaluate(async () => {
        const ad = await window.adsdk!.process({ context: 'boots' });
        // An ad that the page placed itself stays.
        window.adsdk!.render(ad, document.getElementById('other')!);
      });
      expect(await page.locator('.ad').count()).to.equal(4);
      await page.evaluate(() => window.adsdk!.process({ context: 'my father died' }));
      expect(await page.locator('.ad').count()).to.equal(1);
      expect(await page.locator('#other .ad').count()).to.equal(1);
    });
  }

  it('with onlyNew, leaves slots alone for which an earlier call found no ad, and retries those for which it failed', async () => {
    pages.network.respond((response, asked, count) => {
      if (count === 1) noFill('sensitive')(response, asked, count);
      else if (count === 2) response.writeHead(500).end();
      else fill()(response, asked, count);
    });
    const { page } = await pages.open('<div data-adsdk-slot id="one"></div>');
    const processNew = () =>
      page.evaluate(async () => {
        await window.adsdk!.process({ context: 'boots', onlyNew: true });
        return [...document.querySelectorAll('adsdk-ad')].map((host) => host.parentElement!.id);
      });
    const addSlot = () =>
      page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<div data-adsdk-slot id="two"></div>'));
    expect(await processNew()).to.deep.equal([]);
    await addSlot();
    expect(await processNew()).to.deep.equal([]);
    expect(await processNew()).to.deep.equal(['two']);
  });

  it('with onlyNew, fills the slots of a cancelled call and slots whose ad was removed, but none that the page filled', async () => {
    pages.network.respond((response, asked, count) =>
      setTimeout(() => fill({ name: `Ad ${count}` })(response, asked, count), 50),
    );
    const { page } = await pages.open('<div data-adsdk-slot id="one"></div>');
    const shown = () => page.locator('b').allInnerTexts();
    await page.evaluate(async () => {
      const processNew = () => window.adsdk!.process({ context: 'boots', onlyNew: true });
      await Promise.all([processNew(), processNew()]);
    });
    const [first] = await shown();
    expect(first).to.match(/^Ad [12]$/);
    await page.evaluate(async () => {
      window.adsdk!.destroy(document.getElementById('one')!);
      await window.adsdk!.process({ context: 'boots', onlyNew: true });
    });
    const [second, ...none] = await shown();
    expect([second === first, none]).to.deep.equal([false, []]);
    await page.evaluate(async () => {
      document.body.insertAdjacentHTML('beforeend', '<div data-adsdk-slot id="two"></div><div data-adsdk-slot></div>');
      window.adsdk!.render(await window.adsdk!.getAd({ context: 'boots' }), document.getElementById('two')!);
      await window.adsdk!.process({ context: 'boots', onlyNew: true });
    });
    const [kept, ...others] = await shown();
    expect([kept, new Set([first, second, ...others]).size]).to.deep.equal([second, 4]);
  });

  it('keeps the ad of a slot when the page itself cancels the request', async () => {
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    await page.evaluate(async () => {
      await window.adsdk!.process({ context: 'boots' });
      await window.adsdk!.process({ context: 'boots', signal: AbortSignal.abort() });
    });
    expect(await page.locator('.ad').count()).to.equal(1);
  });

  it('cancels a process call when a newer one starts, and calls none of its callbacks', async () => {
    let dropped = 0;
    pages.network.respond((response, asked, count) => {
      if (count === 1) response.on('close', () => dropped++);
      else fill({ name: 'Newer' })(response, asked, count);
    });
    const { page } = await pages.open(SLOTS);
    await page.evaluate(() => {
      const calls: string[] = [];
      const note = (what: string) => () => void calls.push(what);
      const older = window.adsdk!.process({
        context: 'old',
        onFill: note('fill'),
        onNoFill: note('no-fill'),
        onError: note('error'),
      });
      Object.assign(window, { calls, older });
    });
    await eventually(() => expect(pages.network.asked).to.have.length(1));
    await page.evaluate(() => window.adsdk!.process({ context: 'new' }));
    expect(await page.evaluate('older')).to.equal(null);
    expect(await page.evaluate('calls')).to.deep.equal([]);
    expect(await page.locator('b').allInnerTexts()).to.deep.equal(['Newer', 'Newer']);
    await eventually(() => expect(dropped).to.equal(1));
  });

  it('fills slots that were added during the request, and ignores slots inside a slot that it fills', async () => {
    pages.network.respond((response, asked, count) => setTimeout(() => fill()(response, asked, count), 100));
    const { page } = await pages.open('<div data-adsdk-slot id="one"><i data-adsdk-slot></i></div>');
    await page.evaluate(async () => {
      const done = window.adsdk!.process({ context: 'boots' });
      document.querySelector('#one')!.insertAdjacentHTML('afterend', '<div data-adsdk-slot id="late"></div>');
      await done;
    });
    expect(await page.locator('#late .ad').count()).to.equal(1);
    expect(await page.locator('.ad').count()).to.equal(2);
  });

  it('on destroy, removes an element’s ads, or the ad that render returned, and nothing else', async () => {
    const { page } = await pages.open('<div id="one"><p>own</p></div><div id="two"></div>');
    const left = await page.evaluate(async () => {
      const [one, two] = ['one', 'two'].map((id) => document.getElementById(id)!);
      const ad = await window.adsdk!.getAd({ context: 'boots' });
      window.adsdk!.render(ad, one!, { position: 'suffix' });
      const host = window.adsdk!.render(ad, two!)!;
      window.adsdk!.destroy(one!);
      const afterFirst = document.querySelectorAll('adsdk-ad').length;
      window.adsdk!.destroy(host);
      return { afterFirst, one: one!.innerHTML, two: two!.innerHTML };
    });
    expect(left).to.deep.equal({ afterFirst: 1, one: '<p>own</p>', two: '' });
  });

  describe('on destroy during a process call', () => {
    let lastPage: Page;
    /**
     * Starts a call, clears the page as `clear` says and adds a slot for the next conversation before the response
     * arrives. Returns what came of the call.
     */
    const outcomeOf = async (html: string, clear: string) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        pages.network.respond((response, asked, count) => {
          release = () => fill()(response, asked, count);
          resolve();
        });
      });
      const { page } = await pages.open(html);
      lastPage = page;
      await page.evaluate(() => {
        const calls: string[] = [];
        const done = window.adsdk!.process({
          context: 'boots',
          onFill: () => calls.push('onFill'),
          onNoFill: () => calls.push('onNoFill'),
          onError: () => calls.push('onError'),
        });
        Object.assign(window, { outcome: done.then((ad) => ({ ad: ad?.id ?? null, calls })) });
      });
      await held;
      await page.evaluate(`{ ${clear} }`);
      await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<div data-adsdk-slot id="next"></div>'));
      release();
      const outcome = await page.evaluate('outcome');
      return { ...(outcome as object), next: await page.locator('#next adsdk-ad').count() };
    };
    const CHAT = `<div id="chat">${SLOTS}</div>`;
    const chat = "document.getElementById('chat')";
    const cancelled = { ad: null, calls: [], next: 0 };
    const filled = { ad: 'boots-1', calls: ['onFill'], next: 1 };

    it('cancels a call whose slots are all within the element, also if that has left the page', async () => {
      for (const clear of [
        `adsdk.destroy(${chat})`,
        'adsdk.destroy(document.body)',
        `const gone = ${chat}; gone.remove(); adsdk.destroy(gone)`,
        "document.querySelectorAll('[data-adsdk-slot]').forEach((slot) => adsdk.destroy(slot))",
      ]) {
        expect(await outcomeOf(CHAT, clear), clear).to.deep.equal(cancelled);
      }
    });

    it('lets a call go on that has other slots, or for a missing element, as the stub calls it', async () => {
      for (const clear of [
        "adsdk.destroy(document.getElementById('one'))",
        'adsdk.destroy()',
        'adsdk.destroy(null)',
        "adsdk.destroy(document.createElement('div'))",
      ]) {
        expect(await outcomeOf(CHAT, clear), clear).to.deep.equal(filled);
      }
    });

    it('fills none of the slots that were cleared', async () => {
      const clear = `adsdk.destroy(document.getElementById('one'))`;
      expect(await outcomeOf(CHAT, clear)).to.deep.equal(filled);
      expect(await lastPage.locator('#one adsdk-ad').count()).to.equal(0);
      expect(await lastPage.locator('#two adsdk-ad').count()).to.equal(1);
    });

    it('lets the next call be answered', async () => {
      const { page } = await pages.open(SLOTS);
      const ad = await page.evaluate(() => {
        void window.adsdk!.process({ context: 'old' });
        window.adsdk!.destroy(document.body);
        return window.adsdk!.process({ context: 'new' });
      });
      expect(ad).to.have.property('id', 'boots-1');
      expect(await page.locator('adsdk-ad').count()).to.equal(2);
    });
  });

  it('with onlyNew, fills a slot again that had no ad at first and an ad since', async () => {
    pages.network.respond((response, asked, count) => (count === 1 ? noFill() : fill())(response, asked, count));
    const { page } = await pages.open('<div data-adsdk-slot></div>');
    await page.evaluate(async () => {
      await window.adsdk!.process({ context: 'boots' });
      await window.adsdk!.process({ context: 'boots' });
      window.adsdk!.destroy(document.body);
      await window.adsdk!.process({ context: 'boots', onlyNew: true });
    });
    expect(await page.locator('adsdk-ad').count()).to.equal(1);
  });

  it('dispatches an event that bubbles from the slot for everything that happens', async () => {
    const { page } = await pages.open(SLOTS);
    const targetsOf = (type: string) =>
      page.evaluate(async (name) => {
        const from: string[] = [];
        for (const slot of document.querySelectorAll('[data-adsdk-slot]'))
          slot.addEventListener(`adsdk:${name}`, () => from.push(slot.id));
        await window.adsdk!.process({ context: 'boots' });
        return from;
      }, type);
    expect(await targetsOf('fill')).to.deep.equal(['one', 'two']);
    pages.network.respond(noFill('sensitive'));
    expect(await targetsOf('no-fill')).to.deep.equal(['one', 'two']);
    pages.network.respond((response) => response.writeHead(500).end());
    expect(await targetsOf('error')).to.deep.equal(['one', 'two']);
  });

  it('passes the server’s no-fill reason to onNoFill and to an event', async () => {
    pages.network.respond(noFill('sensitive'));
    const { page } = await pages.open(SLOTS);
    const reasons = await page.evaluate(async () => {
      const seen: unknown[] = [];
      document.addEventListener('adsdk:no-fill', (event) => seen.push(event.detail));
      await window.adsdk!.getAd({ context: 'grief' });
      await window.adsdk!.process({ context: 'grief', onNoFill: (reason) => seen.push(reason) });
      return seen;
    });
    expect(reasons).to.deep.equal(['sensitive', 'sensitive', 'sensitive', 'sensitive']);
  });
});

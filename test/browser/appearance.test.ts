import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../support/accessibility.js';
import { fill } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import { answerWith, APPEARANCES, pageOf, pictured, TEMPLATES, type Appearance } from '../support/appearances.js';
import { publisherPages } from '../support/publisher-pages.js';

describe('The appearance of an ad', () => {
  const pages = publisherPages();

  const show = async (appearance: Appearance, template: string) => {
    answerWith(appearance, pages.network);
    const { page } = await pages.open(pageOf(appearance, template), {}, appearance.options);
    await page.evaluate(() => window.adsdk!.process({ context: 'boots' }));
    await pictured(page);
    return page;
  };

  for (const template of TEMPLATES) {
    for (const appearance of APPEARANCES) {
      it(`${template}, ${appearance.name}: passes axe-core’s WCAG 2.2 AA rules, stays within its slot and is labelled`, async () => {
        const page = await show(appearance, template);
        expect(await checkAccessibility(page)).to.deep.equal({ violations: [], undecided: [] });
        const label = page.locator('#slot').getByText(appearance.language?.label ?? 'Ad', { exact: true });
        expect(await label.isVisible()).to.equal(true);
        const { width, height } = (await label.boundingBox())!;
        expect(Math.min(width, height)).to.be.above(10);
        const overflow = await page.evaluate(() => {
          const slot = document.querySelector('#slot')!.getBoundingClientRect();
          const ad = document.querySelector('adsdk-ad')!.shadowRoot!;
          const out = [...ad.querySelectorAll('*')].filter((element) => {
            const box = element.getBoundingClientRect();
            return box.left < slot.left - 1 || box.right > slot.right + 1;
          });
          return {
            out: out.map(({ tagName }) => tagName),
            sideways: document.documentElement.scrollWidth - innerWidth,
          };
        });
        expect(overflow.out).to.deep.equal([]);
        expect(overflow.sideways).to.be.at.most(0);
      });
    }
  }

  it('follows the direction of its text: an Arabic card has its image on the right, on any page', async () => {
    for (const name of ['rtl-ad', 'rtl-page', 'arabic']) {
      const page = await show(
        APPEARANCES.find((appearance) => appearance.name === name)!,
        'card',
      );
      const [picture, words] = await Promise.all([page.locator('img').boundingBox(), page.locator('b').boundingBox()]);
      expect(picture!.x, name).to.be.above(words!.x);
    }
  });

  it('has the image above the text in a narrow slot, and beside it in a wide one', async () => {
    const narrow = await show({ name: 'narrow', slot: 'width: 200px' }, 'card');
    const wide = await show({ name: 'wide', slot: 'width: 500px' }, 'card');
    const gap = async (page: Page) =>
      (await page.locator('.body').boundingBox())!.y - (await page.locator('img').boundingBox())!.y;
    expect(await gap(narrow)).to.be.above(90);
    expect(await gap(wide)).to.equal(0);
  });

  it('uses the page’s text colour, so that it is readable on a dark page without an option', async () => {
    const page = await show(
      APPEARANCES.find((appearance) => appearance.name === 'dark')!,
      'card',
    );
    expect(await page.locator('.ad').evaluate((ad) => getComputedStyle(ad).color)).to.equal('rgb(236, 234, 244)');
  });

  it('has no animation, so that it also suits readers who prefer reduced motion', async () => {
    const page = await show({ name: 'motion' }, 'card');
    expect(await page.evaluate(() => document.getAnimations().length)).to.equal(0);
    const moving = await page
      .locator('.ad, .ad *')
      .evaluateAll(
        (all) =>
          all.filter(
            (element) =>
              getComputedStyle(element).transitionDuration !== '0s' ||
              getComputedStyle(element).animationName !== 'none',
          ).length,
      );
    expect(moving).to.equal(0);
  });

  it('is hidden when its slot is', async () => {
    const page = await show({ name: 'hidden', slot: 'visibility: hidden' }, 'card');
    expect(await page.locator('.ad').isVisible()).to.equal(false);
  });

  for (const template of TEMPLATES) {
    it(`is hidden with the element of a ${template} that render returned`, async () => {
      const page = await show({ name: 'hidden' }, template);
      await page.locator('adsdk-ad').evaluate((host: HTMLElement) => (host.hidden = true));
      expect(await page.locator('adsdk-ad').evaluate((host) => getComputedStyle(host).display)).to.equal('none');
      await page.locator('adsdk-ad').evaluate((host: HTMLElement) => (host.hidden = false));
      expect(await page.locator('.ad').isVisible()).to.equal(true);
    });
  }

  for (const template of TEMPLATES) {
    it(`lets ${template} be focused and opened by keyboard, with an accessible name and a focus ring`, async () => {
      const page = await show({ name: 'keyboard' }, template);
      await page.keyboard.press('Tab');
      const focused = page.locator('adsdk-ad a:focus-visible');
      expect(await focused.count()).to.equal(1);
      expect(await focused.evaluate((link) => getComputedStyle(link).outlineStyle)).to.equal('solid');
      const link = page.getByRole('link', {
        name: template === 'card' ? 'Learn more: Fellwalk Boots' : /^Fellwalk Boots Waterproof/,
      });
      expect(await link.count()).to.equal(1);
      const [tab] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Enter')]);
      await tab.waitForLoadState();
      expect(await tab.title()).to.equal('The advertiser');
    });
  }

  describe('and its layout shift', () => {
    /** Returns the sum of all layout shifts from before the ad was requested until its image is loaded. */
    const shiftWith = async (slot: string) => {
      pages.network.respond((response, asked, count) => setTimeout(() => fill()(response, asked, count), 100));
      const { page } = await pages.open(
        `<div data-adsdk-slot style="${slot}"></div><p>${'The page goes on. '.repeat(60)}</p>`,
      );
      await page.evaluate(() => {
        const shifts: number[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
        }).observe({ type: 'layout-shift', buffered: true });
        Object.assign(window, { shifts });
      });
      await page.screenshot(); // renders a frame with the empty slot
      await page.evaluate(() => window.adsdk!.process({ context: 'boots' }));
      await pictured(page);
      await page.screenshot(); // renders a frame with the ad
      await page.waitForTimeout(300);
      return () =>
        page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((sum, shift) => sum + shift, 0));
    };

    it('is none when its slot has a reserved height', async () => {
      const shift = await shiftWith('min-height: 9.5rem');
      expect(await shift()).to.equal(0);
    });

    it('is measured without a reserved height, which shows that the measurement works', async () => {
      const shift = await shiftWith('');
      await eventually(async () => expect(await shift()).to.be.above(0));
    });
  });
});

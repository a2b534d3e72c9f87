import { expect } from 'chai';
import { type Operator, startOperator } from './operator.js';

describe('tables that show only the first rows', () => {
  let operator: Operator;
  const now = Date.parse('2026-11-21T20:00:00Z');
  before(async () => {
    const past = Array.from({ length: 20 }, (_, number) => ({
      at: now - number * 1000,
      claims: { publisher: number < 12 ? `Chat ${number}` : 'Chat 0', creative: `creative ${number}` },
      kinds: ['impression'] as const,
    }));
    const more = Array.from({ length: 8 }, (_, number) => ({
      at: now,
      claims: { publisher: 'Chat 0', creative: `other ${number}` },
      kinds: ['impression'] as const,
    }));
    const none = { at: now, claims: { publisher: 'Chat 0' }, kinds: [], noFill: 'below-floor' } as const;
    operator = await startOperator({ past: [...past, ...more, none], clock: () => now });
    await operator.signIn();
  });
  after(() => operator.close());

  const linkOf = (page: string, text: string) =>
    new RegExp(`href="([^"]*)">${text}<`).exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';

  it('say how many there are, and link to all of them', async () => {
    const overview = await operator.page('/admin/');
    expect(overview).to.match(/Publishers <span class="muted">top 8 of 12</);
    expect(overview).to.not.include('<tfoot>');
    const all = await operator.page(linkOf(overview, 'All publishers'));
    expect(all.match(/>Chat \d+<\/a>/g)).to.have.length(12);

    const publisher = await operator.page('/admin/publisher?name=Chat+0');
    expect(publisher).to.match(/Creatives <span class="muted">top 12 of 17</);
    const creatives = await operator.page(linkOf(publisher, 'All creatives'));
    // One is for requests without an ad.
    expect(creatives).to.include('18 rows');
    expect(await operator.page('/admin/publisher?name=Chat+1')).to.include('<h2>Creatives</h2>');
  });
});

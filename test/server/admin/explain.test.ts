import { Router } from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { explainPage } from '../../../server/admin/pages/explain.js';
import type { AdminState } from '../../../server/admin/session/require-session.js';
import { createShow } from '../../../server/admin/rendering/show.js';
import { createKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { createRender } from '../../../server/templates/render.js';
import { feedRow } from '../../support/feed.js';
import { listen } from '../../support/listen.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { HOSTILE, startOperator, type Operator } from './operator.js';

const SKIS = feedRow('skis', {
  name: 'Skis for every slope',
  text: 'Alpine and touring skis, boots and bindings.',
  categories: ['Skiing'],
});
const LIMITS = { countries: ['it', 'CH'], negativeKeywords: ['used', 'snow board'] };
const STIVALI = feedRow('stivali', {
  name: 'Ski boots',
  text: 'Ski boots from Montebelluna.',
  language: 'it',
  ...LIMITS,
});
const PIANOS = feedRow('pianos', {
  name: 'Pianos',
  text: 'Upright and grand pianos, tuned.',
  categories: ['Music'],
  countries: ['AT'],
});
const SECRET = 'zanzibarquux';

describe('the page that explains a decision', () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ feeds: [[SKIS, PIANOS, STIVALI]] });
    await operator.signIn();
  });
  after(() => operator.close());

  const ask = async (context: string, country = '') => {
    const response = await operator.send('/admin/explain', { context, publisher: '', country });
    expect(response.status).to.equal(200);
    return response.text();
  };

  it('shows the creatives by relevance with their figures, and the outcome', async () => {
    const page = await ask('User: which alpine skis and boots should I buy?');
    expect(page.indexOf('Skis for every slope')).to.be.within(1, page.lastIndexOf('>Pianos<'));
    expect(page).to.match(/Answered: skis|No ad: below-floor/);
    expect(page).to.match(/<td class="number">0\.\d{3}<\/td>/);
  });

  it('shows the conversation’s language, and marks the ads that are for another language', async () => {
    const page = await ask('User: which alpine skis and boots should I buy?');
    expect(page)
      .to.include('<dt>Language</dt><dd>English (en)</dd>')
      .and.include('<span class="badge">language</span>');
    expect(page).to.include('1 language');
    const own = await ask('User: quali scarponi da sci devo comprare per le Alpi?');
    expect(own).to.include('Italian (it)').and.not.include('<span class="badge">language</span>');
    expect(await operator.page('/admin/creative?id=stivali'))
      .to.include('Italian (it), for conversations in it')
      .and.include('<dt>Countries</dt><dd>IT, CH</dd>')
      .and.include('<dt>Negative keywords</dt><dd>used, snow board</dd>');
    expect(await operator.page('/admin/creative?id=skis')).to.include('for conversations in any; its text is English');
  });

  it('takes the reader’s country into account', async () => {
    const text = 'User: Where can I buy a piano for our daughter?';
    expect(await ask(text)).to.include('1 country');
    expect(await ask(text, 'DE'))
      .to.include('1 country')
      .and.include('value="DE"');
    expect(await ask(text, 'at')).to.not.include('1 country');
  });

  it('accepts conversations as long as those that the browser script sends', async () => {
    const page = await ask(`${'well… '.repeat(6000)}\nUser: I want to kill myself`);
    expect(page).to.include('No ad: sensitive');
    expect(page).to.not.include('maxlength');
  });

  it('shows that a conversation is sensitive', async () => {
    expect(await ask('User: I want to kill myself')).to.include('No ad: sensitive');
  });

  it('shows the conversation as text, never as markup', async () => {
    const page = await ask(`User: skis ${HOSTILE}`);
    expect(page).to.include('&lt;script&gt;').and.not.include('<script>');
  });

  it('leaves nothing of the conversation in the log or in any file', async () => {
    expect(await ask(`User: skis for ${SECRET}`)).to.include(SECRET);
    expect(JSON.stringify(operator.logged)).to.not.include(SECRET);
    for (const name of readdirSync(operator.dataDir, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(operator.dataDir, name);
      if (statSync(file).isFile()) expect(readFileSync(file).includes(SECRET), name).to.equal(false);
    }
  });

  it('reads a conversation from the body only, never from the address', async () => {
    expect(await operator.page(`/admin/explain?context=${SECRET}`)).to.not.include(SECRET);
    const stranger = await operator.sendBare('/admin/explain', { context: 'User: skis' });
    expect(stranger.status).to.equal(303);
  });
});

describe('the page that explains a decision, while decisions are impossible', () => {
  const context = `User: skis\n${'well… '.repeat(6000)}<b>`;
  for (const [error, said] of [
    [new EncoderBusyError(), 'The encoder is busy.'],
    [new SearchUnavailableError(), 'The catalogue cannot be searched now.'],
  ] as const) {
    it(`gives the conversation back: ${said}`, async () => {
      const dataDir = temporaryDirectory();
      const keys = keyStore(dataDir);
      const wishes = { publisher: 'Garden', test: false, origins: [], requestsPerMinute: null, expiresAt: null };
      await keys.change((file) => createKey(file, wishes, 0));
      const router = new Router<AdminState>({ prefix: '/admin' });
      explainPage(router, {
        show: createShow({ render: createRender('admin/views'), path: '/admin', timeZone: 'UTC', currency: 'USD' }),
        keys,
        explain: () => Promise.reject(error),
        clock: Date.now,
      });
      const answer = router.routes();
      const app = new Koa();
      app.use(async (ctx, next) => {
        ctx.state.session = { id: 'a session', tokenId: 'ADMIN_TOKEN', formToken: 'a token', notices: [] };
        ctx.state.operator = { name: 'ADMIN_TOKEN', role: 'admin' };
        ctx.state.may = () => true;
        ctx.state.form = new URLSearchParams({ context, publisher: 'Garden' });
        await answer(ctx as never, next);
      });
      const { origin, close } = await listen((request, response) => void app.callback()(request, response));
      try {
        const response = await fetch(`${origin}/admin/explain`, { method: 'POST' });
        expect(response.status).to.equal(503);
        expect(response.headers.get('retry-after')).to.equal('1');
        const page = await response.text();
        expect(page).to.include(`<p class="alert" role="alert">${said}`);
        expect(page).to.include(`>${context.replace('<b>', '&lt;b&gt;')}</textarea>`);
        expect(page).to.include('<option selected>Garden</option>');
      } finally {
        await close();
        rmSync(dataDir, { recursive: true });
      }
    });
  }
});

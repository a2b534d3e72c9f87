import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import path from 'node:path';
import { createKey } from '../../server/keys/key-operations.js';
import { keyStore } from '../../server/keys/key-file.js';
import { eventually } from '../support/eventually.js';
import { feedRow } from '../support/feed.js';
import { match } from '../support/installation.js';
import { type Operator, startOperator } from './admin/operator.js';

const now = Date.now();
const NEVER = { requestsPerMinute: null, expiresAt: null };

describe('a server whose clock is set back by years', () => {
  let operator: Operator;
  let wall: number;
  before(async () => {
    wall = now;
    const pricing = { model: 'cpm', micros: 4_500_000 };
    const boots = feedRow('boots', { name: 'Hill boots', text: 'Waterproof hiking boots for hills', pricing });
    operator = await startOperator({ feeds: [[boots]], clock: () => wall, settings: { FLOOR: '0' } });
  });
  after(() => operator.close());

  it('was not ready while the clock was ahead', async () => {
    const ready = async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${operator.serving.port}/readyz`);
      return `${answer.status} ${await answer.text()}`;
    };
    await eventually(async () => expect(await ready()).to.match(/^200 /));
    wall = now + 3_600_000;
    expect(await ready()).to.match(/^503 .*clock/);
    wall = now;
    expect(await ready()).to.match(/^200 /);
  });

  it('goes on issuing, dating, counting once and billing as before', async () => {
    const wanted = { publisher: 'Chat', test: false, origins: [], ...NEVER };
    const { key } = await keyStore(operator.dataDir).change((file) => createKey(file, wanted, now));
    const origin = `http://127.0.0.1:${operator.serving.port}`;
    const ask = async (): Promise<string> => {
      const answer = await match(origin, key, 'Which waterproof hiking boots should I buy for the hills?');
      if (answer.status !== 200) throw new Error(await answer.text());
      return ((await answer.json()) as { impressionUrl: string }).impressionUrl;
    };
    const show = (impressionUrl: string) => {
      const { pathname, search } = new URL(impressionUrl);
      return fetch(origin + pathname + search);
    };
    let before!: Awaited<ReturnType<typeof ask>>;
    await eventually(async () => (before = await ask()));
    wall = Date.UTC(2020, 0, 15);
    await show(before);
    await show(before);
    await show(await ask());
    const file = new Sqlite(path.join(operator.dataDir, 'ledger.sqlite'), { readonly: true });
    try {
      const moments = file.prepare<[], number>('select at from events').pluck().all();
      expect(moments).to.have.length(2);
      for (const at of moments) expect(at).to.be.within(now, now + 3_600_000);
      const months = file.prepare<[], number>('select distinct month from billed').pluck().all();
      expect(months).to.deep.equal([Number(new Date(now).toISOString().slice(0, 7).replace('-', ''))]);
    } finally {
      file.close();
    }
  });
});

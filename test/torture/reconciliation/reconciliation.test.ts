import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { SPOOL_FILE } from '../../../server/events/event-spool.js';
import { openForWriting } from '../../../server/ledger/database.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { execute, STORES, temporaryLedgerIn, type TemporaryLedger } from '../../server/ledger/temporary-ledger.js';
import { testClaims } from '../../support/test-claims.js';
import { createReconciliation, type Reconciliation } from './reconciliation.js';
import { createBooks, digestOf, type ServedAd, type Books } from '../calls/books.js';
import { knownOf } from '../calls/catalogue.js';
import { createLimits, type Limits } from './limits.js';

const NOW = Date.UTC(2026, 10, 22, 12);

for (const store of STORES) {
  describe(`the reconciliation of a tortured ledger in ${store}`, () => {
    const someId = store === 'SQLite' ? 'randomblob(16)' : `decode(md5('nobody'), 'hex')`;
    let temporary: TemporaryLedger;
    let books: Books;
    let limits: Limits;
    let reconciliation: Reconciliation;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
      [books, limits] = [createBooks(), createLimits()];
      reconciliation = createReconciliation({
        location: temporary.location,
        dataDirs: [temporary.dataDir],
        books,
        limits,
      });
      await happen(
        ['ski-v1', 'impression'],
        ['ski-v1', 'view'],
        ['kitchen-v2', 'impression', 'click'],
        ['spa-v1', 'impression'],
      );
    });
    afterEach(() => temporary.remove());

    /** Stores events as the server would, and records them as acknowledged. */
    const happen = async (...ads: [creative: string, ...kinds: EventKind[]][]): Promise<void> => {
      const ledger = await temporary.open();
      for (const [creative, ...kinds] of ads) {
        const ad = adOf(creative);
        for (const kind of kinds) {
          await ledger.record(eventOf(ad, kind));
          books.sent(ad, kind);
          books.replied(ad, kind, 'acknowledged', true);
        }
      }
      await ledger.close();
    };
    const tamper = (sql: string): void => {
      const database = openForWriting(temporary.location, 3000);
      execute(database, sql);
      database.close();
    };

    it('reports no difference when ledger and books agree', () => {
      expect(reconciliation.differences(false)).to.deep.equal([]);
      expect(reconciliation.differences(true)).to.deep.equal([]);
      expect(reconciliation.seen.since(0)).to.deep.equal({ times: 5, micros: 5010 + 370_000 + 3010 });
    });

    for (const [what, sql, fault] of [
      [
        'an acknowledged event that is not stored',
        "delete from events where kind = 'click'",
        /click of kitchen-v2 .* was acknowledged and is not stored/,
      ],
      [
        'another price',
        "update events set price_micros = 5 where kind = 'impression'",
        /impression of ski-v1 .* costs 5 \(\) in place of 5010/,
      ],
      [
        'an event that no caller sent',
        `insert into events select ${someId}, kind, at, dimension_set, 0, '', month from events limit 1`,
        /events kept: 6 in the ledger, 5 by its events/,
      ],
      [
        'an event over a budget that has room',
        "update events set price_micros = 0, reason = 'over-budget' where kind = 'click'",
        /click of kitchen-v2 .* is over budget, which has room/,
      ],
      [
        'a counter',
        "update counters set times = times + 1 where grain = 'day-total' and counted = 'click'",
        /day-total counters \(\): 6 in/,
      ],
      ['a bill', 'update billed set times = 2', /bills of The spa people 202611: \d+ in/],
      ['spend', 'update spend set micros = micros + 1 where day <> -1', /spend of The ski people Winter 2026-11-22/],
    ] as const) {
      it(`reports ${what}`, () => {
        tamper(sql);
        expect(reconciliation.differences(false).join('\n')).to.match(fault);
      });
    }

    it('reports an event that changes or disappears after it was seen', () => {
      reconciliation.differences(false);
      tamper("update events set at = at + 1 where kind = 'view'; delete from events where kind = 'click'");
      expect(reconciliation.differences(false).join('\n')).to.include('events kept: 4');
      expect(reconciliation.differences(true).join('\n'))
        .to.match(/view of ski-v1 .* was stored as/)
        .and.to.match(/click of kitchen-v2 .* was stored and is gone/);
    });

    it('accepts an acknowledged click that is still spooled on disk', async () => {
      const ad = adOf('kitchen-v1');
      const file = join(temporary.dataDir, SPOOL_FILE);
      books.sent(ad, 'click');
      books.replied(ad, 'click', 'acknowledged', true);
      writeFileSync(file, `${JSON.stringify({ kind: 'click', id: digestOf(ad.requestId), claims: {} })}\n`);
      expect(reconciliation.differences(false)).to.deep.equal([]);
      writeFileSync(
        file,
        `{"kind":"click","id":"${digestOf(ad.requestId)}","cl\n${JSON.stringify({ kind: 'view', id: digestOf('another') })}\n`,
      );
      expect(reconciliation.differences(true).join('\n'))
        .to.match(/click of kitchen-v1 .* was acknowledged and is not stored/)
        .and.to.include(`the event ${digestOf('another')} view waits, and nobody sent it`);
    });

    it('recognizes every spooled event once it is stored, even if no caller sent it again', async () => {
      const ad = adOf('kitchen-v1');
      const kinds = ['impression', 'view', 'click'] as const;
      for (const kind of kinds) {
        books.sent(ad, kind);
        books.replied(ad, kind, kind === 'click' ? 'acknowledged' : 'refused', kind === 'click');
      }
      const events = kinds.map((kind) => eventOf(ad, kind));
      const file = join(temporary.dataDir, SPOOL_FILE);
      writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      expect(reconciliation.waiting()).to.have.length(3);
      expect(reconciliation.differences(false)).to.deep.equal([]);
      const before = reconciliation.seen.asOfNow();
      const ledger = await temporary.open();
      for (const event of events) await ledger.record({ ...event, replayed: true });
      await ledger.close();
      // The server removes the file later.
      expect(reconciliation.waiting()).to.deep.equal([]);
      rmSync(file);
      expect(reconciliation.differences(false)).to.deep.equal([]);
      expect(reconciliation.seen.since(0).times).to.equal(8);
      expect(before.since(0).times).to.equal(5);
    });

    it('tolerates a spooled paid click that may never be stored only if it was not surely acknowledged', async () => {
      const clicks = {
        unseen: { after: 0, ad: adOf('kitchen-v1') },
        tooSoon: { after: 400, ad: adOf('kitchen-v1') },
        promised: { after: 0, ad: adOf('kitchen-v1') },
        shown: { after: 500, ad: adOf('kitchen-v1') },
        free: { after: 0, ad: adOf('ski-v1') },
      };
      const ledger = await temporary.open();
      for (const { ad } of [clicks.shown, clicks.tooSoon]) await ledger.record(eventOf(ad, 'impression'));
      await ledger.close();
      const events = Object.values(clicks).map(({ ad, after }) => {
        books.sent(ad, 'click');
        books.replied(ad, 'click', 'acknowledged', ad === clicks.promised.ad);
        return { ...eventOf(ad, 'click'), at: ad.issuedAt + after };
      });
      const file = join(temporary.dataDir, SPOOL_FILE);
      writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      expect(reconciliation.waiting()).to.deep.equal(
        [clicks.promised, clicks.shown, clicks.free].map(({ ad }) => `${digestOf(ad.requestId)} click`),
      );
    });

    it('reports a paid click whose ad was never shown', async () => {
      await happen(['kitchen-v1', 'click']);
      expect(reconciliation.differences(false).join('\n')).to.match(/click of kitchen-v1 .* its ad was never shown/);
    });

    it('reports an exceeded budget', async () => {
      await happen(...Array.from({ length: 40 }, (): ['spa-v1', 'impression'] => ['spa-v1', 'impression']));
      expect(reconciliation.differences(false).join('\n')).to.match(/spa-v1 has spent 123410 of 40000 micros/);
    });

    it('reports a report that differs', () => {
      tamper("update counters set times = times + 1 where grain = 'day' and counted = 'click'");
      expect(reconciliation.differences(true).join('\n')).to.match(
        /report of 2026-11-22 Garden Chat kitchen-v2 clicks: 2 in/,
      );
    });
  });
}

function eventOf({ requestId, publisher, known, issuedAt }: ServedAd, kind: EventKind): UsageEvent {
  const { creative, campaign, advertiser, model, eventMicros } = known;
  const pricing = { model, micros: model === 'cpm' ? eventMicros * 1000 : eventMicros };
  const claims = testClaims({ creative, campaign, advertiser, pricing, publisher, issuedAt });
  return { kind, id: digestOf(requestId), claims, at: issuedAt };
}

let number = 0;
function adOf(creative: string): ServedAd {
  const requestId = `request ${++number}`;
  return { requestId, publisher: 'Garden Chat', test: false, known: knownOf(creative), issuedAt: NOW };
}

import { expect } from 'chai';
import { type AuditEntry, recordAudit } from '../../../models/audit/audit-log.js';
import { type Operator, startOperator } from './operator.js';

describe('the page of changes', () => {
  let operator: Operator;
  const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
  const entry = (kind: AuditEntry['subject']['kind'], name: string, fields: AuditEntry['fields']): AuditEntry => ({
    at: '2026-11-21T12:00:00.000Z',
    by,
    action: 'test',
    subject: { kind, name },
    fields,
  });
  before(async () => {
    operator = await startOperator({ settings: { TIME_ZONE: 'Europe/Berlin', CURRENCY: 'JPY' } });
    await operator.signIn();
    await recordAudit(operator, [
      entry('campaign', 'Spring (Acme)', { budgetMicros: { old: null, new: 575_000_000 } }),
      entry('campaign', 'Winter', {
        startsAt: { old: null, new: '2026-12-01T08:00:00.000Z' },
        endsAt: { old: 'edited by hand', new: '2026-99-99T' },
      }),
      entry('correction', 'crawler', { from: { old: null, new: Date.UTC(2026, 10, 1, 23, 15) } }),
    ]);
  });
  after(() => operator.close());

  const found = async (query: string) =>
    [...(await operator.page(`/admin/audit?${query}`)).matchAll(/<td[^>]*>([^<]*)<span class="note">/g)].map(
      ([, name]) => name,
    );

  it('finds a change by a part of the name, in any case', async () => {
    expect(await found('')).to.deep.equal(['crawler', 'Winter', 'Spring (Acme)']);
    expect(await found('name=ACME')).to.deep.equal(['Spring (Acme)']);
    expect(await found('name=+winter&kind=campaign')).to.deep.equal(['Winter']);
  });

  it('says that no change matches, not that nothing was changed', async () => {
    for (const query of ['name=Summer', 'kind=invoice']) {
      const page = await operator.page(`/admin/audit?${query}`);
      expect(page).to.include('No change matches.').and.not.include('Nothing was changed');
    }
  });

  it('shows moments in the time zone, and money in the units of the currency', async () => {
    const page = await operator.page('/admin/audit');
    expect(page)
      .to.include('from: none → 2026-11-02 00:15')
      .and.include('startsAt: none → 2026-12-01 09:00')
      .and.include('endsAt: edited by hand → 2026-99-99T')
      .and.include('budgetMicros: none → 575<')
      .and.include('Times in Europe/Berlin');
  });
});

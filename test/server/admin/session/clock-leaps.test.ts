import { expect } from 'chai';
import { createAttempts } from '../../../../server/admin/session/attempts.js';
import { createSessions, IDLE_MS, MAX_AGE_MS } from '../../../../server/admin/session/sessions.js';

const YEAR = 365 * 24 * 3_600_000;

describe('after a clock that was ahead for a while', () => {
  it('a session ends as soon as any other', async () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const sessions = createSessions(() => now);
    now += YEAR;
    const id = await sessions.create('ADMIN_TOKEN');
    now -= YEAR;
    expect(await sessions.find(id)).to.not.equal(undefined);
    now += IDLE_MS - 1;
    expect(await sessions.find(id)).to.not.equal(undefined);
    now += MAX_AGE_MS - IDLE_MS + 1;
    expect(await sessions.find(id)).to.equal(undefined);
  });

  it('nobody has to wait longer after wrong tokens', () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const attempts = createAttempts(() => now);
    now += YEAR;
    for (let tries = 0; tries < 10; tries++) attempts.failed('203.0.113.7');
    now -= YEAR;
    expect(attempts.waitSeconds('203.0.113.7')).to.be.within(1, 300);
    now += 300_000;
    expect(attempts.waitSeconds('203.0.113.7')).to.equal(0);
  });
});

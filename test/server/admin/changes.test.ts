import { expect } from 'chai';
import { truncateSync } from 'node:fs';
import path from 'node:path';
import { commandActor } from '../../../models/audit/actor.js';
import { type AuditEntry, recordAudit } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { API } from '../../../server/domain/urls.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { eventually } from '../../support/eventually.js';
import { HOSTILE, type Operator, ROWS, startOperator } from './operator.js';

describe('changes in the dashboard', () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ feeds: [ROWS, ROWS.slice(0, 2)] });
    await operator.signIn();
  });
  after(() => operator.close());

  const match = (key: string) =>
    fetch(operator.serving.baseUrl + API + '/match', {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ context: 'Which waterproof hiking boots are good for long days in the hills?' }),
    });
  const idsOn = async () =>
    [...(await operator.page('/admin/keys')).matchAll(/<code>(key_\w+)<\/code>/g)].map(([, id]) => id!);
  const shownKey = (page: string): string | undefined => /class="secret">(pub_\w+)</.exec(page)?.[1];

  it('are refused without the form’s token or from another site, and nothing is changed', async () => {
    const fields = { publisher: 'Intruder', kind: 'live' };
    for (const [form, headers] of [
      [{ ...fields, formToken: '' }, {}],
      [{ ...fields, formToken: 'x'.repeat(43) }, {}],
      [fields, { origin: 'https://evil.example' }],
      [fields, { origin: 'null' }],
      [fields, { 'sec-fetch-site': 'same-site' }],
      [fields, { 'sec-fetch-site': 'cross-site' }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const answer = await operator.send('/admin/keys/create', form, headers);
      expect(answer.status, JSON.stringify([form, headers])).to.equal(403);
    }
    const stranger = await operator.sendBare('/admin/keys/create', fields);
    expect(stranger.headers.get('location')).to.equal('/admin/sign-in?ended=1');
    expect((await operator.get('/admin/keys/rotate')).status).to.equal(405);
    // The address that a browser shows after a form was refused.
    expect((await operator.get('/admin/keys/create')).headers.get('location')).to.equal('/admin/keys');
    expect(await idsOn()).to.deep.equal([]);
  });

  it('create a key that is shown once and works for match requests until it is rotated or deactivated', async () => {
    const made = await operator.send('/admin/keys/create', {
      publisher: 'Chat',
      kind: 'live',
      perMinute: '600',
      expires: '90d',
      origins: '',
    });
    expect(made.status).to.equal(303);
    const key = shownKey(await operator.page('/admin/keys'))!;
    expect(key).to.match(/^pub_/);
    expect(await operator.page('/admin/keys')).to.not.include(key);
    await eventually(async () => expect((await match(key)).status).to.equal(200));

    const [id] = await idsOn();
    expect((await operator.send('/admin/keys/rotate', { id: id!, overlap: '0' })).status).to.equal(303);
    const next = shownKey(await operator.page('/admin/keys'))!;
    await eventually(async () => expect((await match(key)).status).to.equal(401));
    expect((await match(next)).status).to.equal(200);

    const [nextId] = await idsOn();
    await operator.send('/admin/keys/deactivate', { id: nextId! });
    expect(await operator.page('/admin/keys')).to.include(`${nextId} of Chat is deactivated`);
    await eventually(async () => expect((await match(next)).status).to.equal(401));
    expect(JSON.stringify(operator.logged)).to.not.include(key);
  });

  it('show both keys of a form that was sent twice', async () => {
    const send = () => operator.send('/admin/keys/create', { publisher: 'Twice', kind: 'live' });
    const sent = await Promise.all([send(), send()]);
    expect(sent.map(({ status }) => status)).to.deep.equal([303, 303]);
    const page = await operator.page('/admin/keys');
    const shown = [...page.matchAll(/class="secret">(pub_\w+)</g)].map(([, key]) => key!);
    expect(new Set(shown).size).to.equal(2);
    for (const key of shown) await eventually(async () => expect((await match(key)).status).to.equal(200));
    expect(shownKey(await operator.page('/admin/keys'))).to.equal(undefined);
  });

  it('show a new key on the page of keys only; other notices appear on any page that is opened before', async () => {
    await operator.send('/admin/keys/create', { publisher: 'Later', kind: 'live' });
    await operator.send('/admin/keys/deactivate', { id: 'key_none' });
    expect(await operator.page('/admin/campaigns'))
      .to.include('there is no key key_none')
      .and.not.include('class="secret"');
    expect(await operator.page('/admin/system'))
      .to.not.include('key_none')
      .and.not.include('class="secret"');
    const page = await operator.page('/admin/keys');
    expect(shownKey(page)).to.match(/^pub_/);
    expect(page).to.include('New key for Later').and.not.include('key_none');
    expect(shownKey(await operator.page('/admin/keys'))).to.equal(undefined);
  });

  it('rotate a key once; if the form is sent again, the notice names the successor', async () => {
    await operator.send('/admin/keys/create', { publisher: 'Turning', kind: 'live' });
    const [id] = await idsOn();
    await operator.send('/admin/keys/rotate', { id: id!, overlap: '1h' });
    const [next, ...others] = await idsOn();
    expect(next).to.not.equal(id);
    await operator.send('/admin/keys/rotate', { id: id!, overlap: '1h' });
    const page = await operator.page('/admin/keys');
    expect(page).to.include(`Nothing was changed: ${id} was rotated already; rotate ${next}, or create a new key.`);
    expect(shownKey(page)).to.equal(undefined);
    expect(await idsOn()).to.deep.equal([next, ...others]);
  });

  it('create a browser key if sites are named and no mode is chosen; a chosen mode takes precedence', async () => {
    expect(await operator.page('/admin/keys')).to.include('name="mode" value="" checked');
    for (const [fields, mode] of [
      [{ mode: '', origins: 'https://chat.example' }, 'browser'],
      [{ mode: 'server', origins: 'https://chat.example' }, 'server'],
      [{ mode: '', origins: '' }, undefined],
      [{ mode: 'browser', origins: '' }, 'browser'],
    ] as const) {
      await operator.send('/admin/keys/create', { publisher: 'Modes', kind: 'live', ...fields });
      const { keys } = await keyStore(operator.dataDir).read();
      expect([keys.at(-1)?.publisher, keys.at(-1)?.mode], JSON.stringify(fields)).to.deep.equal(['Modes', mode]);
    }
  });

  it('take a creative down from its page, and end the takedown', async () => {
    const [{ id }] = ROWS as [{ id: string }];
    const target = () => operator.get(`${API}/target/${id}`);
    expect(await operator.page(`/admin/creative?id=${id}`)).to.include(`Take down ${id}`);
    await operator.send('/admin/creative/block', { id, reason: '<b>no licence</b>' });
    const page = await operator.page('/admin/creatives');
    expect(page).to.include(`${id} is taken down, within a second.`).and.include('&lt;b&gt;no licence');
    expect(await operator.page(`/admin/creative?id=${id}`))
      .to.include('taken down')
      .and.include('Let it run again');
    await eventually(async () => expect((await target()).status).to.equal(410));
    await operator.send('/admin/creative/block', { id: 'nothing-of-the-kind' });
    expect(await operator.page('/admin/creatives')).to.include('there is no creative');
    await operator.send('/admin/creative/unblock', { id });
    await eventually(async () => expect((await target()).status).to.equal(302));
    const { entries } = await readAudit(operator.dataDir, { kind: 'creative', name: id });
    expect(entries.map(({ action, by, fields }) => [action, by.via, fields['reason']])).to.deep.equal([
      ['creatives unblock', 'dashboard', { old: '<b>no licence</b>', new: null }],
      ['creatives block', 'dashboard', { old: null, new: '<b>no licence</b>' }],
    ]);
  });

  it('return to the search or the creative whose form was sent, and nowhere else', async () => {
    const [{ id }] = ROWS as [{ id: string }];
    const base = `${operator.serving.baseUrl}/admin`;
    for (const [action, referer, place] of [
      ['block', `${base}/creative?id=${id}&from=2026-11-01&test=1`, `/admin/creative?id=${id}&from=2026-11-01&test=1`],
      ['unblock', `${base}/creatives?q=boots&to=2026-11-20`, '/admin/creatives?q=boots&to=2026-11-20'],
      ['block', `${base}/creatives`, '/admin/creatives'],
      ['unblock', `${base}/keys?page=2`, '/admin/creatives'],
      ['block', 'https://evil.example/admin/creatives?q=x', '/admin/creatives'],
      ['unblock', `${base}/../admin/creatives?q=//evil.example`, '/admin/creatives?q=//evil.example'],
    ] as const) {
      const answer = await operator.send(`/admin/creative/${action}`, { id }, { referer });
      expect(answer.headers.get('location'), referer).to.equal(place);
    }
  });

  it('take a live creative down although reports fail', async () => {
    const other = await startOperator({ feeds: [ROWS] });
    try {
      await other.signIn();
      for (const file of ['ledger.sqlite', 'ledger.sqlite-wal']) truncateSync(path.join(other.dataDir, file), 10);
      const [{ id }] = ROWS as [{ id: string }];
      await other.send('/admin/creative/block', { id });
      const { entries } = await readAudit(other.dataDir, { kind: 'creative', name: id });
      expect(entries.map(({ action }) => action)).to.deep.equal(['creatives block']);
      await other.send('/admin/creative/block', { id: 'gone' });
      expect((await readAudit(other.dataDir, { kind: 'creative', name: 'gone' })).entries).to.deep.equal([]);
      expect(other.logged.map(({ msg }) => msg)).to.include('reports cannot tell whether a creative was ever served');
    } finally {
      await other.close();
    }
  });

  it('show what is wrong with a new key above its form, which keeps all input', async () => {
    const before = await idsOn();
    const filled = {
      publisher: 'Garden Chat',
      kind: 'test',
      mode: 'server',
      perMinute: '60',
      expires: '90d',
      origins: 'https://a.example\nhttps://b.example',
    };
    for (const [fields, field, fault] of [
      [{ publisher: ' ' }, 'publisher', /publisher is missing/],
      [{ perMinute: '-1' }, 'perMinute', /requests-per-minute must be a whole number/],
      [{ expires: '31.01.2027' }, 'expires', /expires must be an RFC 3339 date-time, a date/],
      [{ expires: '2001-01-01' }, 'expires', /expires is in the past/],
      [{ origins: 'not a site' }, 'origins', /origin must be an origin such as/],
    ] as [Partial<typeof filled>, string, RegExp][]) {
      const sent = { ...filled, ...fields };
      const answer = await operator.send('/admin/keys/create', sent);
      expect(answer.status, JSON.stringify(fields)).to.equal(422);
      const [, form = ''] = /<details [^>]*id="create" open>([^]*?)<\/details>/.exec(await answer.text()) ?? [];
      const [, said] = /<p class="alert" role="alert" id="fault">([^<]+)<\/p>\s*<form /.exec(form) ?? [];
      expect(said)
        .to.match(/^Nothing was changed: /)
        .and.match(fault);
      for (const name of ['publisher', 'perMinute', 'expires'] as const)
        expect(form).to.match(new RegExp(`name="${name}"[^>]* value="${sent[name]}"`));
      expect(form).to.include(`>${sent.origins}</textarea>`);
      expect([...form.matchAll(/name="(\w+)" value="(\w+)" checked/g)].map(([, ...each]) => each)).to.deep.equal([
        ['kind', 'test'],
        ['mode', 'server'],
      ]);
      const marked = [...form.matchAll(/name="(\w+)"[^>]* aria-invalid="true"/g)].map(([, name]) => name);
      expect(marked).to.deep.equal([field]);
    }
    expect(await idsOn()).to.deep.equal(before);
    expect(await operator.page('/admin/keys'))
      .to.not.include('Nothing was changed')
      .and.not.match(/id="create" open|Garden Chat/);
    const hostile = await operator.send('/admin/keys/create', { ...filled, publisher: HOSTILE, expires: HOSTILE });
    expect(await hostile.text())
      .to.include('&lt;script&gt;')
      .and.not.include('<script');
  });

  it('are refused if a text is not UTF-8, or has a replacement character', async () => {
    const token = /name="formToken" value="([^"]+)"/.exec(await operator.page('/admin/keys'))![1]!;
    const base = `formToken=${token}&kind=live&publisher=`;
    const headers = { cookie: operator.cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const before = await idsOn();
    for (const body of [
      `${base}Caf%E9`,
      `${base}%ED%A0%80`,
      Buffer.concat([Buffer.from(`${base}Caf`), Buffer.of(0xe9)]),
    ]) {
      const place = `http://127.0.0.1:${operator.serving.port}/admin/keys/create`;
      const answer = await fetch(place, { method: 'POST', redirect: 'manual', headers, body });
      expect(answer.status).to.equal(400);
    }
    // A browser sends this where a script has put half of a surrogate pair.
    const half = await operator.send('/admin/keys/create', { publisher: 'Caf\ufffd', kind: 'live' });
    expect(await half.text()).to.include('Nothing was changed: publisher must not contain control characters.');
    expect(await idsOn()).to.deep.equal(before);
  });

  it('roll back to an earlier snapshot, which then serves', async () => {
    const [latest, earlier] = await readPointer(operator.dataDir);
    expect(await operator.page('/admin/snapshots'))
      .to.include(earlier)
      .and.include(latest);
    const answer = await operator.send('/admin/snapshots/rollback', { id: earlier! });
    expect(answer.status).to.equal(303);
    expect(await operator.page('/admin/snapshots')).to.include(`${earlier} is published`);
    await eventually(async () => {
      const page = await operator.page('/admin/system');
      expect(page).to.include(`<code>${earlier}</code>`);
    });
    expect(await operator.page('/admin/creatives')).to.include('Tea of the Month');
    const [, history = ''] = (await operator.page('/admin/snapshots')).split('What was live');
    const rows = history.split('<tr>').slice(2);
    expect(rows).to.have.length(3);
    expect(rows[0])
      .to.include(earlier)
      .and.include('<td>now</td>')
      .and.include('made live again')
      .and.include('dashboard');
    expect(rows[1]).to.include(latest).and.include('published').and.not.include('<td>now</td>');

    await operator.send('/admin/snapshots/rollback', { id: '../../etc' });
    expect(await operator.page('/admin/snapshots')).to.include('Nothing was changed: there is no snapshot');
    truncateSync(path.join(operator.dataDir, 'snapshots', latest!, 'graph.hnsw'), 10);
    await operator.send('/admin/snapshots/rollback', { id: latest! });
    expect(await operator.page('/admin/snapshots')).to.match(
      /Nothing was changed: snapshot \w+: graph.hnsw is cut short/,
    );
    expect((await readPointer(operator.dataDir))[0]).to.equal(earlier);
  });

  it('pause a campaign, which is then not served', async () => {
    await operator.send('/admin/keys/create', { publisher: 'Chat', kind: 'live' });
    const key = shownKey(await operator.page('/admin/keys'))!;
    const winner = async () => ((await (await match(key)).json()) as { id?: string }).id;
    await eventually(async () => expect(await winner()).to.equal('boots'));
    await operator.send('/admin/campaigns/pause', { name: 'autumn', paused: 'true' });
    expect(await operator.page('/admin/campaigns')).to.include('autumn is paused');
    await eventually(async () => expect(await winner()).to.not.equal('boots'));
    await operator.send('/admin/campaigns/pause', { name: 'autumn', of: 'Somebody else', paused: 'false' });
    expect(await operator.page('/admin/campaigns'))
      .to.include('Somebody else has no campaign')
      .and.include('paused');
    await operator.send('/admin/campaigns/pause', { name: 'nobody’s', paused: 'true' });
    expect(await operator.page('/admin/campaigns')).to.include('Nothing was changed');
  });

  it('are listed with who made them, and the old and new values', async () => {
    const session = /dashboard session [0-9a-f]{8} from \S+/;
    const page = await operator.page('/admin/audit');
    expect(page).to.match(session).and.include('keys rotate').and.include('rollback').and.include('expiresAt: ');
    const campaigns = await operator.page('/admin/audit?kind=campaign&name=autumn');
    expect(campaigns).to.include('paused: false (feed) → true').and.include('campaigns pause');
    expect(campaigns).to.not.include('keys rotate');
    expect(await operator.page('/admin/audit?kind=campaign&name=nobody')).to.include('No change matches');
    expect(await operator.page('/admin/audit?before=x&kind=y')).to.include('keys rotate');
  });

  it('are listed fifty per page, latest first', async () => {
    const entry = (number: number): AuditEntry => ({
      at: new Date(Date.UTC(2026, 10, 22, 12, 0, number)).toISOString(),
      by: commandActor({}),
      action: 'campaigns set',
      subject: { kind: 'campaign', name: `Campaign ${number}` },
      fields: {},
    });
    await recordAudit(
      { dataDir: operator.dataDir },
      Array.from({ length: 51 }, (_, number) => entry(number)),
    );
    const first = await operator.page('/admin/audit?kind=campaign');
    expect(first).to.include('Campaign 50').and.include('Campaign 1<').and.not.include('Campaign 0<');
    const [, further] = /<a href="([^"]+)" rel="next"/.exec(first)!;
    const second = await operator.page(further!.replaceAll('&amp;', '&'));
    expect(second).to.include('Campaign 0<').and.include('campaigns pause').and.not.include('Campaign 1<');
    expect(second).to.include('href="/admin/audit?kind=campaign" rel="first"').and.not.include('rel="next"');
  });
});

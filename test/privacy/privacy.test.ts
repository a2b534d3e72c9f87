import { expect } from 'chai';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { API } from '../../server/domain/urls.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { filesWith, makeCanary, spellingsOf } from './canary.js';
import { connectionsElsewhere } from './connections-elsewhere.js';
import { everySpelling } from './spellings-sent.js';

const TOKEN = 'the-token-of-the-watched-server';
const PRELOAD = new URL('./outgoing-child.js', import.meta.url).href;

/**
 * Conversations are neither stored nor logged, and never leave the machine. The test searches everything that could
 * hold one.
 */
describe('a canary sent as a conversation', function () {
  this.timeout(180_000);
  const canary = makeCanary();
  const folder = temporaryDirectory();
  const [dataDir, temp, home] = ['data', 'tmp', 'home'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  const outgoing = path.join(folder, 'outgoing');
  const adjacent = new Installation(dataDir, {
    ADMIN_TOKEN: TOKEN,
    LOG_LEVEL: 'trace',
    TMPDIR: temp,
    HOME: home,
    OUTGOING_FILE: outgoing,
    NODE_OPTIONS: `--import ${PRELOAD}`,
  });
  let server: Awaited<ReturnType<Installation['serve']>>;
  let log = '';
  const answers: [what: string, text: string][] = [];
  const elsewhere: string[] = [];

  before(async () => {
    for (const each of [dataDir, temp, home]) mkdirSync(each);
    const rows = [feedRow('boots', { text: 'Waterproof boots for long days in the hills.' }), feedRow('tea')];
    await adjacent.run('indexer/main.js', writeFeed(temp, rows));
    server = await adjacent.serve();
    for (const stream of [server.child.stdout!, server.child.stderr!])
      stream.on('data', (data) => (log += String(data)));
    for (const { what, body, headers, query = '' } of everySpelling(canary)) {
      await ask(`match: ${what}`, `${API}/match${query}`, {
        method: 'POST',
        headers: { 'x-api-key': server.demoKey, ...headers },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
      elsewhere.push(...connectionsElsewhere(server.child.pid!, Number(new URL(server.origin).port)));
    }
    await explainIt();
    for (const place of PAGES) await ask(place, place, { headers: { cookie, authorization: `Bearer ${TOKEN}` } });
  });
  after(async () => {
    await adjacent.end();
    await rm(folder, { recursive: true });
  });

  let cookie = '';
  const PAGES = [
    '/metrics',
    '/readyz',
    '/admin/',
    '/admin/reports',
    '/admin/publishers',
    '/admin/system',
    '/admin/explain',
    '/admin/keys',
    '/admin/api/reports?by=publisher,creative',
    '/openapi.json',
    `/${encodeURIComponent(canary)}`,
  ];

  async function ask(what: string, place: string, init: RequestInit): Promise<Response> {
    const response = await fetch(server.origin + place, { redirect: 'manual', ...init });
    const text = await response.clone().text();
    answers.push([what, `${response.status}\n${JSON.stringify([...response.headers])}\n${text}`]);
    return response;
  }

  /**
   * Uses the one page that shows a conversation: to the operator who has just typed it, in the response to that form.
   */
  async function explainIt(): Promise<void> {
    const post = (place: string, fields: Record<string, string>) =>
      fetch(server.origin + place, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams(fields),
      });
    cookie = (await post('/admin/sign-in', { token: TOKEN })).headers.get('set-cookie')!.split(';')[0]!;
    const page = await (await fetch(`${server.origin}/admin/keys`, { headers: { cookie } })).text();
    const formToken = /name="formToken" value="([^"]+)"/.exec(page)![1]!;
    const answer = await post('/admin/explain', { formToken, context: `User: ${canary}`, publisher: canary });
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.include(canary);
  }

  it('gets ads and refusals, so it has passed through all of the code', () => {
    const statuses = answers.filter(([what]) => what.startsWith('match')).map(([, text]) => text.slice(0, 3));
    expect(statuses).to.include.members(['200', '400', '401', '404', '413']);
  });

  it('is in no response', () => {
    expect(answers.filter(([, text]) => spellingsOf(canary, Buffer.from(text)).length > 0)).to.deep.equal([]);
  });

  it('is in no file while the server runs: not in DATA_DIR, nor in the temporary or the home directory', () => {
    expect(readdirSync(dataDir)).to.include('ledger.sqlite');
    expect(filesWith(canary, folder)).to.deep.equal([]);
  });

  it('is in no outgoing packet: the server opens no connection and looks up no name', async () => {
    expect(existsSync(outgoing) ? readFileSync(outgoing, 'utf8') : '').to.equal('');
    expect(elsewhere).to.deep.equal([]);
    // Native code is not recorded. Libraries with telemetry keep files for it, as ONNX Runtime does if enabled.
    expect(readdirSync(home)).to.deep.equal([]);
    expect(readdirSync(temp)).to.deep.equal(['feed.jsonl']);
  });

  it('is in no log line at level trace, and in no file once the server has ended', async () => {
    await adjacent.end();
    expect(log.split('\n').length).to.be.above(30);
    expect(log).to.include('"msg":"request"');
    expect(spellingsOf(canary, Buffer.from(log))).to.deep.equal([]);
    expect(filesWith(canary, folder)).to.deep.equal([]);
  });

  it('would be found in the log, in any encoding', () => {
    for (const { what, body } of everySpelling(canary)) {
      const file = path.join(dataDir, 'planted.log');
      writeFileSync(file, log);
      appendFileSync(file, body);
      // Brotli has no signature, so it is found only as a whole file.
      writeFileSync(path.join(dataDir, 'planted'), body);
      expect(filesWith(canary, dataDir), what).to.have.length.above(0);
    }
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { request } from 'node:http';
import { connect } from 'node:net';
import { startService, type Service } from './service.js';

/** Covers what a client may get wrong in a match request. */
describe('bad input to match', () => {
  let service: Service;
  before(async () => void (service = await startService()));
  after(() => service.close());

  const errorOf = async (response: Response): Promise<string> => {
    const body = (await response.json()) as { error: string };
    expect(body).to.have.all.keys('error');
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    return body.error;
  };

  const refused: [string, string, RegExp][] = [
    ['a body that is not JSON', '{"context": ', /the body is not JSON/],
    ['an empty body', '', /the body is missing/],
    ['an array', '[]', /the body must be a JSON object/],
    ['a string', '"context"', /the body must be a JSON object/],
    ['null', 'null', /the body must be a JSON object/],
    ['neither context nor messages', '{}', /^the body must be an object with the field context or messages$/],
    ['a context that is no string', '{"context": 7}', /^context must be string$/],
    ['a context that is null', '{"context": null}', /^context must be string$/],
    ['a blank context', '{"context": " \\n\\t "}', /^context must not be blank$/],
    ['messages that are no list', '{"context": "x", "messages": "x"}', /^messages must be array$/],
    ['no messages at all', '{"messages": []}', /^messages must contain text of the user or the assistant$/],
    [
      'messages in which nobody says anything',
      JSON.stringify({
        context: 'x',
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: ' \n' },
          { role: 'user', content: [{ type: 'text', text: '' }, { type: 'image_url' }] },
          { role: 'assistant', content: null },
          { role: 'assistant', tool_calls: [] },
          { role: 'assistant', content: '', parts: [{ type: 'text', text: ' ' }] },
          { role: 'user', content: ' ', parts: [{ type: 'text', text: 'of another form' }] },
          { role: 'tool', content: 'x' },
        ],
      }),
      /^messages must contain text of the user or the assistant$/,
    ],
    [
      'a role that nobody has',
      '{"messages": [{"role": "user", "content": "x"}, {"role": "bot", "content": "x"}]}',
      /^messages\.1\.role must be user, assistant, system, developer, tool or function$/,
    ],
    [
      'content that is a number',
      '{"messages": [{"role": "user", "content": 7}]}',
      /^messages\.0\.content must be text, null, or a list of parts such as \{"type": "text"/,
    ],
    [
      'a text part without text',
      '{"messages": [{"role": "user", "content": [{"type": "text"}]}]}',
      /^messages\.0\.content must be text, null, or a list of parts/,
    ],
    [
      'a blank context beside messages',
      '{"context": " ", "messages": [{"role": "user", "content": "x"}]}',
      /^context /,
    ],
    [
      'a message without content',
      '{"context": "x", "messages": [{"role": "user"}]}',
      /^messages must contain text of the user or the assistant$/,
    ],
    [
      'parts that are no list',
      '{"messages": [{"role": "user", "content": "x", "parts": "x"}]}',
      /^messages\.0\.parts must be array$/,
    ],
  ];
  for (const [what, body, error] of refused) {
    it(`returns 400 for ${what} and names it`, async () => {
      const response = await service.match(body);
      expect(response.status).to.equal(400);
      expect(await errorOf(response)).to.match(error);
    });
  }

  it('does not quote the body in its response', async () => {
    expect(await errorOf(await service.match('hello, my name is Rumpelstiltskin'))).to.not.include('Rumpel');
  });

  it('returns 400 for a compressed body', async () => {
    const response = await service.match('{"context":"x"}', { 'content-encoding': 'gzip' });
    expect(response.status).to.equal(400);
    expect(await errorOf(response)).to.include('Content-Encoding');
  });

  it('returns 413 with the limit for a body above the limit', async () => {
    const response = await service.match({ context: 'x'.repeat(256 * 1024) });
    expect(response.status).to.equal(413);
    expect(await errorOf(response)).to.include('262144 bytes');
  });

  it('returns 413 for a chunked body above the limit, without waiting for its end', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { port } = new URL(service.baseUrl);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', reject).once('data', (data) => {
        resolve(String(data));
        socket.destroy();
      });
      socket.write(
        `POST /api/v1/public/creatives/match HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      socket.write(`50000\r\n${'x'.repeat(0x50000)}\r\n`);
    });
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
  });

  it('closes a connection whose body arrives in tiny chunks, each of which costs time', async () => {
    const before = service.logged.length;
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => void socket.resume().once('close', resolve));
    socket.write(
      `POST /api/v1/public/creatives/match HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    socket.write('1\r\n \r\n'.repeat(5000));
    await closed;
    expect(service.logged.slice(before).map(({ status }) => status)).to.deep.equal([400]);
  });

  it('reads a body in small chunks as long as they are few', async () => {
    const { port } = new URL(service.baseUrl);
    const headers = { 'x-api-key': service.key };
    const path = '/api/v1/public/creatives/match';
    const status = await new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      });
      sent.on('error', reject);
      for (const letter of `{"context":"${'x'.repeat(1500)}"}`) sent.write(letter);
      sent.end();
    });
    expect(status).to.equal(200);
  });

  it('applies the limit of a context to messages', async () => {
    const sized = (size: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(size) }] });
    const room = 256 * 1024 - JSON.stringify(sized(0)).length;
    expect((await service.match(sized(room))).status).to.equal(200);
    expect((await service.match(sized(room + 1))).status).to.equal(413);
  });

  it('handles a body full of messages up to the limit, and returns a short 400 for one full of faults', async () => {
    const full = (message: object) => ({ messages: Array.from({ length: 5000 }, () => message) });
    expect((await service.match(full({ role: 'user', content: 'x' }))).status).to.equal(200);
    for (const message of [
      { role: 'system', content: 'x' },
      { role: 'user', content: [{}] },
    ]) {
      const response = await service.match(full(message));
      expect(response.status).to.equal(400);
      expect(await errorOf(response)).to.have.length.below(200);
    }
  });

  it('accepts a body just below the limit', async () => {
    const context = 'x'.repeat(256 * 1024 - JSON.stringify({ context: '' }).length);
    expect((await service.match({ context })).status).to.equal(200);
  });

  const strange: [string, string][] = [
    ['NUL and control characters', '{"context": "a\\u0000b\\u0007c\\u001b[31m"}'],
    ['any script', JSON.stringify({ context: 'مرحبا 你好 नमस्ते 👩‍👩‍👧‍👦 ﷽' })],
    ['a byte order mark', '\ufeff{"context": "x"}'],
    ['fields called __proto__ and constructor', '{"context": "x", "__proto__": {"a": 1}, "constructor": 1}'],
  ];
  for (const [what, body] of strange) {
    it(`accepts ${what}`, async () => {
      expect((await service.match(body)).status).to.equal(200);
    });
  }

  it('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"context": "caf'), Buffer.of(0xe9, 0xed, 0xa0, 0x80), Buffer.from('"}')]);
    const response = await service.api('/match', { method: 'POST', headers: { 'x-api-key': service.key }, body });
    expect(response.status).to.equal(400);
    expect(await errorOf(response)).to.equal('the body is not UTF-8');
  });

  for (const [field, body] of [
    ['context', '{"context": "half a \\ud83d smile"}'],
    [
      'messages.1.content',
      '{"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "\\udc00 b"}]}',
    ],
    [
      'messages.0.content.0.text',
      '{"messages": [{"role": "user", "content": [{"type": "text", "text": "a\\ud800"}]}]}',
    ],
  ] as const) {
    it(`refuses a lone surrogate in ${field}, and names the field`, async () => {
      const response = await service.match(body);
      expect(response.status).to.equal(400);
      expect(await errorOf(response)).to.match(new RegExp(`^${field} must be well-formed Unicode`));
    });
  }

  it('ignores unknown fields, whatever they contain', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect((await service.match(`{"context": "x", "other": ${deep}, "half": "\\ud800"}`)).status).to.equal(200);
  });

  it('reads JSON whatever the Content-Type', async () => {
    expect((await service.match({ context: 'x' }, { 'content-type': 'text/plain' })).status).to.equal(200);
  });

  it('never returns 500, whatever the body', async () => {
    const odd = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.anything().map((value) => JSON.stringify(value) ?? ''),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (body) => {
        const response = await service.match(body);
        expect(response.status).to.be.oneOf([200, 400]);
        await response.arrayBuffer();
      }),
      { numRuns: 300 },
    );
  });

  /** Sends raw bytes and reads the response to its end. */
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      let answer = '';
      socket
        .on('error', reject)
        .on('data', (data) => (answer += String(data)))
        .on('close', () => resolve(answer));
      socket.write(text);
    });

  it('returns {error} for input that is not HTTP, and for endless headers', async () => {
    const garbage = await raw('what is this?\r\n\r\n');
    expect(garbage).to.match(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(garbage.split('\r\n\r\n')[1] ?? '')).to.have.all.keys('error');
    const endless = await raw(`GET / HTTP/1.1\r\nHost: x\r\nx-session-id: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(endless).to.match(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(endless.split('\r\n\r\n')[1] ?? '')).to.have.all.keys('error');
  });
});

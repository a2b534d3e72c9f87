import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** One form in which a conversation may reach the server. */
export interface Sent {
  readonly what: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the path of the match endpoint. */
  readonly query?: string;
}

/** Returns a conversation in every encoding, in valid, broken and refused requests. */
export function everySpelling(canary: string): Sent[] {
  const context = `User: I need waterproof boots for long days in the hills, ${canary}`;
  const json = JSON.stringify({ context });
  const utf16 = Buffer.from(json, 'utf16le');
  const escaped = [...Buffer.from(canary)].map((byte) => `\\u00${byte.toString(16)}`).join('');
  const percent = [...Buffer.from(context)].map((byte) => `%${byte.toString(16)}`).join('');
  const base64 = ['', 'x', 'xx'].map((before) => Buffer.from(before + context).toString('base64'));
  const message = (content: unknown) => JSON.stringify({ messages: [{ role: 'user', content }] });
  return [
    { what: 'context', body: json },
    { what: 'context of a session', body: json, headers: { 'x-session-id': canary } },
    { what: 'messages', body: message(context) },
    { what: 'parts', body: message([{ type: 'text', text: context }]) },
    {
      what: 'a turn that is not read',
      body: `{"messages":[{"role":"system","content":"${canary}"},{"role":"user","content":"x"}]}`,
    },
    { what: 'an unknown field', body: `{"context":"x","${canary}":"${canary}"}` },
    { what: 'distress', body: JSON.stringify({ context: `User: I want to die, ${canary}` }) },
    { what: 'JSON escapes', body: `{"context":"User: ${escaped}"}` },
    { what: 'percent in context', body: JSON.stringify({ context: percent }) },
    ...base64.map((text) => ({ what: 'base64 in context', body: JSON.stringify({ context: text }) })),
    { what: 'JSON in context', body: JSON.stringify({ context: message(context) }) },
    { what: 'UTF-16LE', body: utf16 },
    { what: 'UTF-16BE', body: Buffer.from(utf16).swap16() },
    { what: 'percent', body: percent },
    { what: 'base64', body: base64[0]! },
    { what: 'gzip', body: gzipSync(json), headers: { 'content-encoding': 'gzip' } },
    { what: 'gzip unsaid', body: gzipSync(json) },
    { what: 'deflate', body: deflateSync(json), headers: { 'content-encoding': 'deflate' } },
    { what: 'brotli', body: brotliCompressSync(json), headers: { 'content-encoding': 'br' } },
    { what: 'text', body: context },
    { what: 'JSON that breaks off', body: json.slice(0, -2) },
    { what: 'JSON that breaks within', body: `{"context": ${canary}}` },
    { what: 'a wrong type', body: `{"context": ["${canary}"]}` },
    { what: 'a wrong role', body: `{"messages":[{"role":"${canary}","content":"${canary}"}]}` },
    { what: 'too long', body: JSON.stringify({ context: `${canary} `.repeat(15_000) }) },
    { what: 'long', body: JSON.stringify({ context: `User: ${`${canary} `.repeat(500)}` }) },
    { what: 'in the address', body: json, query: `?context=${encodeURIComponent(context)}` },
    {
      what: 'in headers',
      body: json,
      headers: { 'user-agent': canary, referer: `https://a.example/?q=${canary.replace(' ', '+')}` },
    },
    { what: 'with a wrong key', body: json, headers: { 'x-api-key': `pub_${canary.replace(' ', '')}` } },
  ];
}

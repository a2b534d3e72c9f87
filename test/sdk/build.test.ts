import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Ad as ServedAd } from '../../models/schema/ad.js';
import type { Ad } from '../../sdk/types.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'dist/sdk/public');
const read = (name: string) => readFileSync(join(folder, name));

describe('The built script', () => {
  it('is at most 4 kB with Brotli', () => {
    expect(read('adsdk.js.br').length).to.be.at.most(4000);
  });

  it('is ASCII, so that its labels do not depend on the charset it is served with', () => {
    for (const name of ['adsdk.js', 'adsdk.mjs']) expect(read(name).toString()).to.match(/^[\0-\x7f]*$/);
  });

  it('has an immutable copy under its hash, with its integrity value', () => {
    const { file, integrity } = JSON.parse(read('integrity.json').toString()) as { file: string; integrity: string };
    expect(file).to.match(/^adsdk\.[0-9a-f]{16}\.js$/);
    expect(read(file).equals(read('adsdk.js'))).to.equal(true);
    expect(integrity).to.equal(`sha384-${createHash('sha384').update(read(file)).digest('base64')}`);
  });

  it('has gzip and brotli siblings with the same content', () => {
    const scripts = readdirSync(folder).filter((name) => /\.m?js$/.test(name));
    expect(scripts).to.include.members(['adsdk.js', 'adsdk.mjs', 'loader.js']);
    for (const name of scripts) {
      expect(gunzipSync(read(`${name}.gz`)).equals(read(name)), name).to.equal(true);
      expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name)), name).to.equal(true);
    }
  });

  it('has a source map that points to the TypeScript', () => {
    const { sources } = JSON.parse(read('adsdk.js.map').toString()) as { sources: string[] };
    expect(sources.some((source) => source.endsWith('sdk/render.ts'))).to.equal(true);
  });

  it('uses no feature that strict policies forbid or that a privacy statement must mention', () => {
    for (const name of ['adsdk.js', 'adsdk.mjs']) {
      expect(read(name).toString()).not.to.match(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|\.style\b|cookie|localStorage|sessionStorage|indexedDB/,
      );
    }
  });

  it('has declarations with which a strict TypeScript page compiles, and a wrong one does not', () => {
    const place = mkdtempSync(join(tmpdir(), 'adjacent-types-'));
    const compile = (source: string) => {
      writeFileSync(join(place, 'page.mts'), source);
      const flags = '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --module nodenext'.split(' ');
      const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...flags, '--types', ''];
      // In the temporary directory, where no tsconfig.json applies.
      execFileSync(process.execPath, [...tsc, join(folder, 'adsdk.d.mts'), 'page.mts'], { cwd: place, stdio: 'pipe' });
    };
    try {
      const from = JSON.stringify(join(folder, 'adsdk.mjs'));
      compile(`import adsdk, { createClient, AdsdkError, type Ad } from ${from};
        adsdk.init({ apiKey: 'pub_x' });
        adsdk.init({ apiKey: 'pub_x', labels: { ad: 'Sponsored', learnMore: 'Read on' } });
        adsdk.init({ apiKey: 'pub_x', labels: { de: { ad: 'Werbung' }, 'pt-BR': { learnMore: 'Veja mais' } } });
        const ad: Ad | null = await adsdk.getAd({ context: 'x', signal: new AbortController().signal });
        await adsdk.process({ messages: [{ role: 'user', content: 'x' }], onFill: (ad) => ad.id });
        const kept: { role: 'user' | 'assistant'; content: string | { type: 'text'; text: string }[]; id: string }[] = [];
        await adsdk.getAd({ messages: kept });
        type UIPart = { type: 'text'; text: string; state?: 'streaming' | 'done' } | { type: 'step-start' };
        const ui: { id: string; role: 'system' | 'user' | 'assistant'; metadata?: unknown; parts: UIPart[] }[] = [];
        await adsdk.getAd({ messages: ui });
        const four: { role: 'system' | 'user' | 'assistant' | 'data'; content: string; parts?: UIPart[] }[] = [];
        await adsdk.getAd({ messages: four });
        window.adsdk?.render(ad, document.body, { template: 'native', position: 'suffix' });
        document.addEventListener('adsdk:error', (event) => event.detail.code === 'timeout');
        const { error, language } = await createClient({ apiKey: 'pub_x', baseUrl: 'https://x' }).match({ context: 'x' });
        if (error instanceof AdsdkError) console.log(error.status, language?.length);`);
      for (const wrong of [
        `adsdk.render(null, document.body, { template: 'poster' })`,
        `adsdk.getAd({})`,
        `adsdk.getAd({ messages: [{ role: 'bot', content: 'x' }] })`,
        `adsdk.getAd({ messages: [{ role: 'user', parts: 'x' }] })`,
        `adsdk.process({ messages: 'x' })`,
        `adsdk.init({ apiKey: 'pub_x', labels: 'Sponsored' })`,
        `adsdk.init({ apiKey: 'pub_x', labels: { ad: 7 } })`,
        `adsdk.init({ apiKey: 'pub_x', labels: { de: 'Werbung' } })`,
      ]) {
        expect(() => compile(`import adsdk from ${from}; await ${wrong};`), wrong).to.throw();
      }
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  it('declares the same ad type as the server', () => {
    const same = <A, B>(both: [A] extends [B] ? ([B] extends [A] ? true : false) : false) => both;
    expect(same<Ad, Readonly<ServedAd>>(true)).to.equal(true);
  });
});

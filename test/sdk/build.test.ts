import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Ad as ServedAd } from '../../models/schema/ad.js';
import type { Ad } from '../../sdk/types.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

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

  describe('has declarations', function () {
    // A page is compiled a dozen times.
    this.timeout(120_000);
    let place: string;
    before(() => (place = temporaryDirectory()));
    after(() => rmSync(place, { recursive: true }));
    const from = JSON.stringify(join(folder, 'adsdk.mjs'));
    /** Compiles a page, or a server's code with the libraries and types given by other flags. */
    const compile = (source: string, others = ['--types', ''], declarations = 'adsdk.d.mts') => {
      writeFileSync(join(place, 'page.mts'), source);
      const flags = '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --module nodenext'.split(' ');
      const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...flags, ...others];
      // In the temporary directory, where no tsconfig.json applies.
      const command = [...tsc, join(folder, declarations), 'page.mts'];
      try {
        execFileSync(process.execPath, command, { cwd: place, stdio: 'pipe' });
      } catch (error) {
        throw new Error(String((error as { stdout: Buffer }).stdout), { cause: error });
      }
    };

    it('of exactly what the module exports', async () => {
      const declared = read('adsdk.d.mts')
        .toString()
        .matchAll(/^export (?:declare (?:class|function|const) (\w+)|(default) )/gm);
      const names = [...declared].map(([, name, byDefault]) => name ?? byDefault);
      const exported = (await import(join(folder, 'adsdk.mjs'))) as object;
      expect(names).to.have.members(Object.keys(exported));
    });

    it('with which a server compiles, without the DOM, with Node’s types and without', () => {
      const server = `import { createClient, type AdsdkError } from ${from};
        const client = createClient({ apiKey: 'pub_x', baseUrl: 'https://x' });
        const { ad, error } = await client.match({ messages: [{ role: 'user', content: 'x' }], sessionId: 's' });
        const problem: AdsdkError | null = error;
        const seconds: number | undefined = problem?.retryAfter;
        if (ad) await client.impression(ad);`;
      compile(server, ['--lib', 'es2022', '--types', '']);
      const typesOfNode = ['--lib', 'es2022', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
      const withNode = `createClient({ apiKey: 'pub_x', baseUrl: new URL('https://x') });
        await client.match({ context: 'x', signal: AbortSignal.timeout(1000) });`;
      compile(server + withNode, typesOfNode);
    });

    it('with which a page compiles that uses the global script', () => {
      const page = `adsdk?.init({ apiKey: 'pub_x' });
        globalThis.adsdk?.destroy(document.body);
        void window.adsdk?.process({ context: 'x' });`;
      compile(page, undefined, 'adsdk.d.ts');
      expect(() => compile(`adsdk?.init({});`, undefined, 'adsdk.d.ts')).to.throw('apiKey');
      expect(() => compile(`adsdk.init({ apiKey: 'pub_x' });`, undefined, 'adsdk.d.ts')).to.throw('undefined');
    });

    it('with which a strict page compiles that uses the module, and a wrong one does not', () => {
      compile(`import adsdk, { createClient, AdsdkError, type Ad } from ${from};
        adsdk.init({ apiKey: 'pub_x' });
        adsdk.init({ apiKey: 'pub_x', labels: { ad: 'Sponsored', learnMore: 'Read on' } });
        adsdk.init({ apiKey: 'pub_x', labels: { de: { ad: 'Werbung' }, 'pt-BR': { learnMore: 'Veja mais' } } });
        const ad: Ad | null = await adsdk.getAd({ context: 'x', signal: new AbortController().signal });
        await adsdk.process({ messages: [{ role: 'user', content: 'x' }], onFill: (ad) => ad.id });
        adsdk.init({ apiKey: 'pub_x', disclosure: true });
        const names: readonly string[] = ['A'];
        await adsdk.getAd({ context: 'x', exclude: { creatives: [ad!.id], advertisers: names } });
        const payer: string | null | undefined = ad?.disclosure?.payer;
        const kept: { role: 'user' | 'assistant'; content: string | { type: 'text'; text: string }[]; id: string }[] = [];
        await adsdk.getAd({ messages: kept });
        type UIPart = { type: 'text'; text: string; state?: 'streaming' | 'done' } | { type: 'step-start' };
        const ui: { id: string; role: 'system' | 'user' | 'assistant'; metadata?: unknown; parts: UIPart[] }[] = [];
        await adsdk.getAd({ messages: ui });
        const four: { role: 'system' | 'user' | 'assistant' | 'data'; content: string; parts?: UIPart[] }[] = [];
        await adsdk.getAd({ messages: four });
        window.adsdk?.render(ad, document.body, { template: 'native', position: 'suffix' });
        const { score, ...raw } = ad!;
        adsdk.render(raw, document.body);
        document.addEventListener('adsdk:error', (event) => event.detail.code === 'timeout');
        const { error, language } = await createClient({ apiKey: 'pub_x', baseUrl: 'https://x' }).match({ context: 'x' });
        if (error instanceof AdsdkError) console.log(error.status, language?.length);`);
      for (const wrong of [
        `adsdk.render(null, document.body, { template: 'poster' })`,
        `adsdk.getAd({})`,
        `adsdk.getAd({ messages: [{ role: 'bot', content: 'x' }] })`,
        `adsdk.getAd({ messages: [{ role: 'user', parts: 'x' }] })`,
        `adsdk.process({ messages: 'x' })`,
        `adsdk.getAd({ context: 'x', exclude: ['A'] })`,
        `adsdk.getAd({ context: 'x', exclude: { advertiser: ['A'] } })`,
        `adsdk.init({ apiKey: 'pub_x', labels: 'Sponsored' })`,
        `adsdk.init({ apiKey: 'pub_x', labels: { ad: 7 } })`,
        `adsdk.init({ apiKey: 'pub_x', labels: { de: 'Werbung' } })`,
      ]) {
        expect(() => compile(`import adsdk from ${from}; await ${wrong};`), wrong).to.throw('error TS');
      }
    });
  });

  it('declares the same ad type as the server', () => {
    const same = <A, B>(both: [A] extends [B] ? ([B] extends [A] ? true : false) : false) => both;
    expect(same<Ad, Readonly<ServedAd>>(true)).to.equal(true);
  });
});

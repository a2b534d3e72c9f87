import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { declarations } from './declarations.js';

/**
 * Size limits: how each bundle is measured, and its maximum in bytes. A build must not fail for the machine's zlib, whose
 * results for one script differ by ten bytes; a test holds this one's to 4 kB.
 */
const LIMITS = {
  'adsdk.js': { what: 'with Brotli', measure: (script) => withBrotli(script).length, limit: 3995 },
  'loader.js': { what: 'as it stands', measure: (script) => withoutMapLine(script).length, limit: 300 },
};

/**
 * A webpack plugin. Every bundle gets gzip and brotli siblings; `adsdk.js` gets an immutable copy, named by its hash, and
 * its integrity value in `integrity.json`; `adsdk.mjs` its declarations. A bundle above its limit fails the build.
 */
export class Publish {
  /** @param {string} compiled the folder of tsc's output */
  constructor(compiled) {
    this.compiled = compiled;
  }

  apply(compiler) {
    const { Compilation, WebpackError, sources } = compiler.webpack;
    compiler.hooks.thisCompilation.tap('Publish', (compilation) => {
      const stage = Compilation.PROCESS_ASSETS_STAGE_REPORT;
      compilation.hooks.processAssets.tap({ name: 'Publish', stage }, (assets) => {
        // Marked as minimized, or webpack would do it again, to a copy that must stay as it is.
        const emit = (name, content) =>
          compilation.emitAsset(name, new sources.RawSource(content), { minimized: true });
        for (const name of Object.keys(assets).filter((asset) => /\.m?js$/.test(asset))) {
          const bundle = assets[name].buffer();
          compress(name, bundle, emit);
          if (name === 'adsdk.js') pin(bundle, emit);
          if (name === 'adsdk.mjs') declare(this.compiled, emit);
          const { what, measure, limit } = LIMITS[name] ?? {};
          const size = measure?.(bundle);
          if (measure) console.log(`sdk/${name}: ${size} bytes ${what}, of at most ${limit}`);
          if (size > limit) compilation.errors.push(new WebpackError(`sdk/${name} is above ${limit} bytes ${what}`));
        }
      });
    });
  }
}

function compress(name, bundle, emit) {
  emit(`${name}.gz`, gzipSync(bundle, { level: 9 }));
  emit(`${name}.br`, withBrotli(bundle));
}

const withBrotli = (bundle) => brotliCompressSync(bundle, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

function pin(script, emit) {
  const file = `adsdk.${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;
  const integrity = `sha384-${createHash('sha384').update(script).digest('base64')}`;
  emit(file, script);
  compress(file, script, emit);
  emit('integrity.json', `${JSON.stringify({ file, integrity }, null, 2)}\n`);
}

/** `.d.mts` is where TypeScript looks beside a `.mjs`; `.d.ts` is for pages that use the global. */
function declare(compiled, emit) {
  emit('adsdk.d.mts', declarations(compiled));
  emit('adsdk.d.ts', declarations(compiled));
}

const withoutMapLine = (script) => script.toString().replace(/\n\/\/# .*\n?$/, '');

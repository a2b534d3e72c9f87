import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Makes one file each, `dist/bundles/NAME.js`, of packages that are slow to load, imported as `#NAME` (`imports` in
 * package.json). TypeBox and Kysely consist of 635 modules, and Node takes about a millisecond for each: they were more
 * than half of a command's start.
 */
export default {
  name: 'bundles',
  mode: 'production',
  target: 'node20',
  stats: 'errors-warnings',
  entry: {
    ajv: at('ajv.js'),
    eld: 'eld/small',
    kysely: 'kysely',
    transformers: '@xenova/transformers',
    typebox: 'typebox',
  },
  module: {
    parser: { javascript: { importMeta: false, createRequire: false } },
    rules: [{ test: /[\\/]eld[\\/]src[\\/]ngrams[\\/]/, use: at('parsed-data.js') }],
  },
  // Only texts are encoded: this library for images costs .17 s and 20 MB in every process that encodes.
  externals: { sharp: 'var {}' },
  experiments: { outputModule: true },
  // Stack traces and profiles stay readable.
  optimization: { minimize: false },
  output: {
    path: at('../../dist/bundles'),
    filename: '[name].js',
    module: true,
    library: { type: 'module' },
    clean: true,
  },
};

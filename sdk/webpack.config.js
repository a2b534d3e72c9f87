import { fileURLToPath } from 'node:url';
import { Ascii } from './build/ascii.js';
import { Publish } from './build/publish.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const compiled = at('../dist/sdk');

/** tsc has compiled the script to `dist/sdk`; this makes the files of `/sdk/` from it. */
const common = {
  mode: 'production',
  devtool: 'source-map',
  target: ['web', 'es2021'],
  stats: 'errors-warnings',
  plugins: [new Ascii(), new Publish(compiled)],
  module: {
    // The module asks for its own address when it runs, not for where it was built.
    parser: { javascript: { importMeta: false } },
    rules: [
      { test: /\.js$/, use: at('../node_modules/source-map-loader/dist/cjs.js'), enforce: 'pre' },
      { test: /style\.js$/, use: at('build/squeeze-css.js') },
    ],
  },
};

export default [
  {
    ...common,
    name: 'script',
    entry: { adsdk: `${compiled}/adsdk.js`, loader: `${compiled}/loader.js` },
    output: { path: `${compiled}/public`, filename: '[name].js', clean: true },
  },
  {
    ...common,
    name: 'module',
    dependencies: ['script'],
    entry: `${compiled}/module.js`,
    experiments: { outputModule: true },
    output: { path: `${compiled}/public`, filename: 'adsdk.mjs', module: true, library: { type: 'module' } },
  },
];

import { fileURLToPath } from 'node:url';

const compiled = fileURLToPath(new URL('../../dist/sdk/examples', import.meta.url));

/** Each example's `main.js` from what tsc has compiled; its page is `index.html`, with address and key to be put in. */
export default {
  mode: 'production',
  stats: 'errors-warnings',
  performance: { hints: false },
  // Nobody waits for these to load; whoever runs the tests waits for them to build.
  optimization: { minimize: false },
  entry: Object.fromEntries(['plain', 'react', 'vue'].map((name) => [name, `${compiled}/${name}/main.js`])),
  output: { path: `${compiled}/public`, filename: '[name]/main.js', clean: true },
};

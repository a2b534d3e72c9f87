import { readFileSync } from 'node:fs';
import { readConfig, readEnvironment } from '../../config/config.js';
import { runCommand } from '../shared/run-command.js';
import { openOffline } from '../shared/offline.js';
import { findPublisher } from '../shared/known-names.js';
import { readArguments, USAGE } from './arguments.js';
import { asText } from './as-text.js';
import { createExplain } from '../../explain/explain.js';

// `npm run explain`: why a conversation gets an ad or none, by the code that answers match. Stores nothing.
await runCommand(USAGE, async (argv) => {
  const wanted = readArguments(argv, () => readFileSync(0, 'utf8'));
  const { request, at, snapshot: id, json, dataDir } = wanted;
  const config = readConfig(readEnvironment(), dataDir === undefined ? [] : ['--data-dir', dataDir]);
  const publisher = await findPublisher(wanted.publisher, config.dataDir);
  const offline = await openOffline({ ...config, workers: 1 });
  try {
    const snapshot = await offline.snapshot(id);
    const explain = createExplain({ encoder: offline.encoder, index: { current: () => snapshot }, config });
    const explanation = await explain(request, { publisher, session: undefined, now: at ?? Date.now() });
    return json ? `${JSON.stringify(explanation, null, 2)}\n` : asText(explanation);
  } finally {
    await offline.close();
  }
});

import path from 'node:path';
import { fetchModel, HUB } from '../models/encoder/fetch-model.js';
import { readProfile } from '../models/encoder/profile.js';
import { makeDirectory } from '../models/files/data-directory.js';
import { runCommand } from './command-line.js';

const usage = `Usage: npm run fetch-model -- NAME [options]

Downloads an encoder for the MODEL setting into DATA_DIR/models. Then index with it: MODEL=NAME npm run index -- FEED

  --hub URL        where models are published (default: ${HUB})
  --data-dir DIR   where its folder models lies (default: the DATA_DIR setting, ./data)

Example: npm run fetch-model -- Xenova/bge-small-en-v1.5
Exit code: 0 fetched, 1 it could not be had, 2 usage`;

const command = { usage, switches: [], values: ['hub'], arguments: { least: 1, most: 1 } };

await runCommand(command, async ({ settings, values, arguments: [name] }) => {
  makeDirectory(settings.dataDir);
  const directory = path.join(settings.dataDir, 'models');
  await fetchModel(name!, directory, values['hub'] ?? HUB);
  const { dims } = readProfile(name!, directory);
  console.log(`Fetched ${name} (${dims} dimensions) to ${path.join(directory, name!)}`);
  return 0;
});

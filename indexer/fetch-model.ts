import path from 'node:path';
import { TEXT, main, UsageError } from '../platform/command-line/run-command.js';
import { fetchModel, HUB } from '../models/encoder/fetch-model.js';
import { readProfile } from '../models/encoder/profile.js';
import { makeDataDirectory, warnOfOtherOwner } from '../platform/files/data-directory.js';
import { readCommandLine } from './command-line.js';

const usage = `Usage: npm run fetch-model -- NAME [options]

Downloads an encoder for the MODEL setting into DATA_DIR/models. Then index with it: MODEL=NAME npm run index -- FEED

  --dtype NAME     weight format, q8 or fp32 (default: q8); for fp32, set MODEL=NAME?dtype=fp32
  --hub URL        where models are published (default: ${HUB})
  --data-dir DIR   directory whose folder models gets it (default: the DATA_DIR setting, ./data)

Example: npm run fetch-model -- Xenova/bge-small-en-v1.5
Exit code: 0 fetched, 1 it could not be downloaded, 2 arguments or settings that cannot be used
`;

await main({
  usage,
  async run(argv, { out, err }) {
    const { settings, values, positionals } = readCommandLine(argv, { hub: TEXT, dtype: TEXT }, { min: 1, max: 1 });
    const name = positionals[0]!;
    const dtype = values.dtype ?? 'q8';
    if (dtype !== 'q8' && dtype !== 'fp32') throw new UsageError('--dtype must be q8 or fp32');
    makeDataDirectory(settings.dataDir);
    warnOfOtherOwner(settings.dataDir, err);
    const directory = path.join(settings.dataDir, 'models');
    await fetchModel(name, directory, values.hub ?? HUB, dtype);
    const { dims } = readProfile(name, directory);
    out(`Fetched ${name} (${dims} dimensions) to ${path.join(directory, name)}\n`);
  },
});

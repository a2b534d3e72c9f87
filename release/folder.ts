import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { main, parseOptions, TEXT, UsageError } from '../platform/command-line/run-command.js';
import { assemble } from './assemble.js';
import { filesIn } from './files-in.js';

const usage = `Usage: node dist/release/folder.js FOLDER [options]

Puts the contents of a release into FOLDER, which must not exist, from the packages, the build and the files in the
current directory. Needs no git, for building a container image from sources without it.

  --commit ID       commit that the release states (default: unknown)
  --time SECONDS    time of that commit in epoch seconds (default: 0)

Example: node dist/release/folder.js /tmp/adjacent --commit "$(git rev-parse HEAD)" --time "$(git log -1 --format=%ct)"
`;

await main({
  usage,
  async run(argv, output) {
    const { values, positionals } = parseOptions(argv, { commit: TEXT, time: TEXT }, 1);
    const [folder] = positionals;
    if (folder === undefined) throw new UsageError('FOLDER is missing');
    if (existsSync(folder)) throw new Error(`${folder} exists already`);
    const seconds = /^\d{1,11}$/.test(values.time || '0') ? Number(values.time || '0') : NaN;
    if (Number.isNaN(seconds)) throw new UsageError(`--time must be seconds of the epoch, not "${values.time}"`);
    const root = path.resolve('.');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const commit = { id: values.commit || 'unknown', seconds };
    assemble({ root, tracked: filesIn(root), folder: path.resolve(folder), version, commit });
    output.out(`${folder}\n`);
  },
});

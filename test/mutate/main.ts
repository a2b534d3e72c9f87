import { main } from '../../platform/command-line/run-command.js';
import { readArguments, usage } from './arguments.js';
import { mutate } from './mutate.js';

// `npm run mutate -- FOLDER`: lists mutations of a folder's code that its tests do not notice. Exits with 0 whenever it
// could run.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { tried, noticed, survivors, left } = await mutate(wanted, (line) => output.err(`${line}\n`));
    const share = tried === 0 ? 100 : (100 * noticed) / tried;
    output.out(
      [
        `${wanted.folder}: ${noticed} of ${tried} mutations noticed (${share.toFixed(1)} %)${left > 0 ? `, ${left} not tried yet` : ''}`,
        ...survivors.map((survivor) => `  ${survivor}`),
        '',
      ].join('\n'),
    );
  },
});

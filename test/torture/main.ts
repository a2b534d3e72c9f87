import { main } from '../../models/command-line/run-command.js';
import { table } from '../bench/table.js';
import { readArguments, usage } from './arguments.js';
import { FAULT_NAMES } from './fault-names.js';
import { torture } from './torture.js';
import type { Tortured } from './tortured.js';

// `npm run torture`: exit 0 when the books agree after every kill, 1 when they do not (or something failed), 2 for usage.
await main({
  usage,
  async run(argv, output) {
    const enough = new AbortController();
    // Ends in order, so that no process and no mounted disk is left behind.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());
    const tortured = await torture(readArguments(argv), (line) => output.err(`${line}\n`), enough.signal);
    output.out(`${summary(tortured)}\n`);
    if (tortured.differences.length > 0) process.exitCode = 1;
  },
});

function summary({ differences, kept, faults, told, ...counts }: Tortured): string {
  const figures: readonly (readonly [string, string | number])[] = [
    ['kills', counts.kills],
    ['… before it served', counts.killsAtStart],
    ...FAULT_NAMES.map((name) => [`faults: ${name}`, faults.get(name) ?? 0] as const),
    ['commands run meanwhile', counts.commands],
    ['ads asked for', counts.asked],
    ['events acknowledged', told.acknowledged],
    ['events refused', told.refused],
    ['events without an answer', told.nothing],
    ['events stored', counts.stored],
    ['billed', (counts.micros / 1e6).toFixed(6)],
    ['books compared', counts.audits],
    ['disk', counts.disk],
    ['differences', differences.length],
  ];
  return [
    table(
      ['torture', ''],
      figures.map(([name, figure]) => [name, String(figure)]),
    ),
    ...(differences.length === 0 ? ['the books agree with what callers were told'] : differences),
    ...(kept === null ? [] : [`the data are kept in ${kept}`]),
  ].join('\n');
}

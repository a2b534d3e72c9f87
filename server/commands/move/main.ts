import { existsSync } from 'node:fs';
import path from 'node:path';
import { commandActor } from '../../../models/audit/actor.js';
import { main } from '../../../platform/command-line/run-command.js';
import { SPOOL_FILE } from '../../events/event-spool.js';
import { isEqual } from '../../move/compare.js';
import type { Move } from '../../move/move.js';
import { moveFromDatabase } from '../../move/move-from-database.js';
import { moveToDatabase } from '../../move/move-to-database.js';
import { type MoveArguments, readArguments, usage } from './arguments.js';
import { asTable } from './as-table.js';

// `npm run move`: moves an installation from DATA_DIR into a database, or back.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { direction, url, dataDir, json } = wanted;
    const act = direction === 'to' ? moveToDatabase : moveFromDatabase;
    const onStep = (step: string): void => output.err(`${step} …\n`);
    const move = await act({ dataDir, url, by: commandActor(), onStep });
    output.out(json ? `${JSON.stringify(move, null, 2)}\n` : asTable(move.compared));
    const differences = move.compared.filter((each) => !isEqual(each)).map(({ what }) => what);
    if (differences.length > 0) throw new Error(differText(move, differences));
    output.err(`${doneText(move, wanted)}\n`);
  },
});

function differText({ wasFinished }: Move, differences: readonly string[]): string {
  const which = `DATA_DIR and the database differ in: ${differences.join(', ')}.`;
  return wasFinished
    ? `${which} The move was finished before; later changes are on one side only.`
    : `${which} The move is not finished: make sure that nothing changes meanwhile, and run it again.`;
}

function doneText({ wasFinished }: Move, { direction, dataDir }: MoveArguments): string {
  if (wasFinished) return 'The installation was moved before, and both sides are still equal.';
  if (direction === 'to') {
    return `Both sides are equal. Set DATABASE_URL, without which no server starts on ${dataDir} any more, and start; further nodes begin with an empty DATA_DIR.`;
  }
  const waiting = existsSync(path.join(dataDir, SPOOL_FILE)) ? '' : ` Add the ${SPOOL_FILE} of each node to it.`;
  return `Both sides are equal. Start without DATABASE_URL.${waiting}`;
}

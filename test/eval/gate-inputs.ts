import pLimit from 'p-limit';
import { createEncoder } from '../../models/encoder/pool.js';
import { modelOf, readProfile } from '../../models/encoder/profile.js';
import { main, UsageError } from '../../platform/command-line/run-command.js';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { readCommand } from '../../server/commands/shared/read-command.js';
import { readConversation } from '../../server/decide/conversation/conversation.js';
import { createContextEncoder } from '../../server/decide/encode-context.js';
import { measureSensitivity } from '../../server/decide/sensitivity.js';
import { readJsonLines } from './set.js';

const usage = `Usage: node dist/test/eval/gate-inputs.js TEXTS.jsonl

Prints the distress signal of each encoder of the quality profile, to which the gate is fitted
(models/training/gate.py): each line again, with "sensitivityLogits": [log odds of the first, of the second].

  TEXTS.jsonl      one {"context"} per line; other fields are copied
`;

// Computes the inputs for fitting the gate with the code of the match endpoint, so that its split into turns is
// included.
await main({
  usage,
  async run(argv, output) {
    const { positionals, config } = readCommand(argv, {}, 1);
    if (positionals[0] === undefined) throw new UsageError('a file of texts is missing');
    const profile = readProfile(modelOf({ ...config, languages: 'en' }), '');
    const encoder = await createEncoder(profile, { workers: config.workers, queueLimit: Infinity });
    try {
      const model = loadGateModel(encoder.fingerprint);
      if (!model?.second)
        throw new Error(`there is no gate.json with a second encoder for this encoder, ${encoder.fingerprint}`);
      const { second, ...first } = model;
      const encode = createContextEncoder(encoder, { turns: model.turns, secondTurns: second.model.turns });
      const lines = await pLimit(config.workers * 2).map(
        readJsonLines<{ context: string }>(positionals[0]),
        async (line) => {
          const read = await encode(readConversation(line), null);
          return {
            ...line,
            sensitivityLogits: [
              measureSensitivity(first, read)?.logit,
              measureSensitivity(second.model, read.second!)?.logit,
            ],
          };
        },
      );
      output.out(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      await encoder.close();
    }
  },
});

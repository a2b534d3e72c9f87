import pLimit from 'p-limit';
import { createEncoder } from '../../models/encoder/pool.js';
import { modelOf, readProfile } from '../../models/encoder/profile.js';
import { main, UsageError } from '../../platform/command-line/run-command.js';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { readCommand } from '../../server/commands/shared/read-command.js';
import { readConversation } from '../../server/decide/conversation/conversation.js';
import { createContextEncoder } from '../../server/decide/encode-context.js';
import { hear } from '../../server/decide/gate.js';
import { readJsonLines } from './set.js';

const usage = `Usage: node dist/test/eval/heard.js TEXTS.jsonl

Prints what each reader of the quality profile hears of distress, the figures that the gate is fitted to
(models/training/gate.py): each line again, with "heard": [log odds of the first, of the second].

  TEXTS.jsonl      one {"context"} a line, with whatever else
`;

// Of texts to what the gate is fitted to: the very code that answers matches, so that its cutting into turns counts too.
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
        throw new Error(`no gate.json has a second reader and is of this encoder, ${encoder.fingerprint}`);
      const { second, ...first } = model;
      const encode = createContextEncoder(encoder, { turns: model.turns, secondTurns: second.model.turns });
      const lines = await pLimit(config.workers * 2).map(
        readJsonLines<{ context: string }>(positionals[0]),
        async (line) => {
          const read = await encode(readConversation(line), null);
          return { ...line, heard: [hear(first, read)?.logit, hear(second.model, read.second!)?.logit] };
        },
      );
      output.out(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      await encoder.close();
    }
  },
});

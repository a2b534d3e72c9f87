import { readFileSync } from 'node:fs';
import { main } from '../../../platform/command-line/run-command.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { openOffline } from '../shared/offline.js';
import { findPublisher } from '../shared/known-names.js';
import type { CampaignRules } from '../../campaigns/campaigns.js';
import type { Explanation } from '../../explain/explanation.js';
import { readStoredRules } from '../../campaigns/stored-rules.js';
import { readArguments, usage } from './arguments.js';
import { asText, BUDGETS_NOT_CHECKED } from './as-text.js';
import { createExplain } from '../../explain/explain.js';

// `npm run explain`: explains why a conversation gets an ad or none, with the code behind the match endpoint. Stores
// nothing.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv, () => readFileSync(0, 'utf8'));
    const { config, request, at, json } = wanted;
    await withInstallation(config, async (cluster) => {
      const publisher = await findPublisher(wanted.publisher, config.dataDir);
      const offline = await openOffline({ ...config, workers: 1 });
      try {
        const snapshot = await offline.snapshot(wanted.snapshot);
        const campaigns = await readStoredRules(config.dataDir, cluster);
        const explain = createExplain({
          encoder: offline.encoder,
          index: { current: () => snapshot },
          config,
          campaigns,
        });
        const explanation = await explain(request, { publisher, session: undefined, now: at ?? Date.now() });
        output.out(json ? `${JSON.stringify(explanation, null, 2)}\n` : asText(explanation));
        if (!hasBudget(explanation, snapshot, campaigns)) return;
        // Standard output stays one JSON object.
        if (json) output.err(BUDGETS_NOT_CHECKED);
        else output.out(BUDGETS_NOT_CHECKED);
      } finally {
        await offline.close();
      }
    });
  },
});

/** Returns whether the chosen creative's campaign has a budget, which only a running server can check. */
function hasBudget({ outcome }: Explanation, { creatives }: LoadedSnapshot, campaigns: CampaignRules): boolean {
  const served = outcome.filled ? creatives.find(({ id }) => id === outcome.creativeId) : undefined;
  if (served === undefined) return false;
  const { budgetMicros, dailyBudgetMicros } = campaigns.effective(served);
  return budgetMicros !== null || dailyBudgetMicros !== null;
}

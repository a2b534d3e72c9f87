import type { Cluster } from '../../../platform/cluster/cluster.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { commandActor } from '../../../models/audit/actor.js';
import type { SubjectChange } from '../../../models/audit/changes-between.js';
import { main, type Output } from '../../../platform/command-line/run-command.js';
import { doAudited } from '../../audit/change-audited.js';
import { decimal } from '../../../models/text/money.js';
import { findVoidable, voidEvents, type VoidedEvents } from '../../ledger/corrections/void-events.js';
import {
  ledgerLocation,
  openForReading,
  openForWriting,
  refuseMissing,
  type LedgerLocation,
} from '../../ledger/database.js';
import type { LedgerDatabase } from '../../ledger/tables/ledger-database.js';
import { readAccountingBasis } from '../../ledger/tables/accounting-basis.js';
import type { VoidRule } from '../../ledger/corrections/void-rule.js';
import { listCorrections } from '../../ledger/corrections/list-corrections.js';
import { NAMES } from '../../reports/report-query.js';
import { requireKnown } from '../shared/known-names.js';
import { readArguments, type VoidArguments } from './arguments.js';
import { correctionsTable, voidedTable } from './tables.js';

const usage = `Usage: npm run corrections -- void --reason TEXT [which] [--confirm]
       npm run corrections -- list [--json]

Voids counted events found to be invalid. Closed months stay unchanged: what they billed is credited in the
first open month, on the advertiser's invoice, and returned to budgets. Reports show it beside what was counted.

  --reason TEXT        why, for the invoice
  --publisher NAME     which events: those that match all given options
  --advertiser NAME, --campaign NAME, --creative ID
  --kind KIND          impression, view or click
  --from T, --to T     a date (whole, of the ledger's time zone) or a date-time
  --request-ids FILE   one request id per line, or a URL that contains one
  --confirm            void the events; without it, only shows them
  --json               list as one JSON object
  --data-dir DIR       where the ledger is (default: the DATA_DIR setting, ./data)

Only events that are still stored individually (KEEP_EVENTS_DAYS) can be voided, each only once.

Example: npm run corrections -- void --publisher "Garden Chat" --kind click --from 2026-11-03 --to 2026-11-04
           --reason "Clicks by a script" --confirm
`;

await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const location = ledgerLocation(wanted.config);
    if (wanted.name === 'list') list(location, wanted.json, output);
    else await withInstallation(wanted.config, (cluster) => voidWanted(location, wanted, cluster, output));
  },
});

function list(location: LedgerLocation, json: boolean, output: Output): void {
  const corrections = use(openForReading(location), listCorrections);
  output.out(json ? `${JSON.stringify({ corrections }, null, 2)}\n` : correctionsTable(corrections));
}

async function voidWanted(
  location: LedgerLocation,
  wanted: VoidArguments,
  cluster: Cluster | null,
  output: Output,
): Promise<void> {
  const { reason, confirm, config } = wanted;
  refuseMissing(location);
  const { timeZone } = use(openForReading(location), readAccountingBasis) ?? config;
  const now = Date.now();
  // Events after this moment are not in the preview and must not be voided unseen.
  const asked = wanted.ruleIn(timeZone);
  const rule = asked.ids === undefined ? { to: now, ...asked } : asked;
  for (const name of NAMES) await requireKnown(name, rule[name] ?? '', config);
  const found = use(openForReading(location), (database) => findVoidable(database, rule));
  const ids = rule.ids === undefined ? '' : ` of ${rule.ids.length} request ids`;
  if (found.length === 0) throw new Error(`no counted event${ids} matches, is still stored and is not voided yet`);
  output.out(voidedTable(found));
  if (!confirm) return output.out('Nothing was changed; with --confirm these are void.\n');
  const audited = { dataDir: config.dataDir, cluster, by: commandActor(), action: 'corrections void', now };
  const events = found.reduce((sum, each) => sum + each.events, 0);
  const correction = await doAudited(audited, [whatIsVoided(rule, reason, found)], () =>
    use(openForWriting(location, 10_000), (database) =>
      voidEvents(database, { rule, reason, timeZone, now, confirmed: events }),
    ),
  );
  output.out(`Voided by correction ${correction}.\n`);
}

function whatIsVoided(rule: VoidRule, reason: string, found: readonly VoidedEvents[]): SubjectChange {
  const events = found.reduce((sum, each) => sum + each.events, 0);
  const credit = decimal(found.reduce((sum, { micros }) => sum + micros, 0n));
  const { ids, ...which } = rule;
  const details = { ...which, ...(ids === undefined ? {} : { requestIds: ids.length }), events, credit };
  const fields = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, { old: null, new: value }]));
  return { subject: { kind: 'correction', name: reason }, fields };
}

function use<T>(database: LedgerDatabase, read: (database: LedgerDatabase) => T): T {
  try {
    return read(database);
  } finally {
    database.close();
  }
}

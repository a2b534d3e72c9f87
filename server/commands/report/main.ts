import { writeFileSync } from 'node:fs';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { main, printDocument, UsageError } from '../../../platform/command-line/run-command.js';
import {
  campaignStore,
  type OverriddenCampaign,
  overriddenCampaigns,
  overriddenNote,
} from '../../campaigns/terms/campaign-file.js';
import { openForReading, reportsLocation } from '../../ledger/database.js';
import { requireKnown } from '../shared/known-names.js';
import { readArguments, type ReportArguments, usage } from './arguments.js';
import { asCsv, asJson } from '../../reports/formats.js';
import { asTable } from './as-table.js';
import { ReportQueryError } from '../../reports/period.js';
import { NAMES } from '../../reports/report-query.js';
import { report, type Report } from '../../reports/report.js';

type Formatter = (report: Report, setByCommand: readonly OverriddenCampaign[]) => string;
const FORMATTERS: Readonly<Record<ReportArguments['format'], Formatter>> = {
  table: (whole, setByCommand) => asTable(whole) + overriddenNote(setByCommand),
  json: (whole, setByCommand) => `${JSON.stringify({ ...asJson(whole), setByCommand }, null, 2)}\n`,
  csv: asCsv,
};

// `npm run report`: reads the ledger directly, so that it works with and without a running server.
await main({
  usage,
  async run(argv, output) {
    try {
      const wanted = readArguments(argv);
      const text = await withInstallation(wanted.config, () => printed(wanted));
      if (wanted.out !== undefined) writeFileSync(wanted.out, text);
      else if (wanted.format === 'table') output.out(text);
      else printDocument(text);
    } catch (error) {
      throw error instanceof ReportQueryError ? new UsageError(error.message) : error;
    }
  },
});

async function printed({ query, format, config }: ReportArguments): Promise<string> {
  for (const kind of NAMES) {
    for (const name of [query.where?.[kind] ?? []].flat()) await requireKnown(kind, name, config);
  }
  const setByCommand = overriddenCampaigns(await campaignStore(config.dataDir).read());
  const database = openForReading(reportsLocation(config));
  try {
    return FORMATTERS[format](report(database, query, config), setByCommand);
  } finally {
    database.close();
  }
}

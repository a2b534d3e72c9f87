import { actorText } from '../../../models/audit/actor.js';
import { SUBJECTS, type AuditEntry } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import { drawTable } from '../../../platform/command-line/draw-table.js';
import { FLAG, main, TEXT, UsageError, type Output } from '../../../platform/command-line/run-command.js';
import { readMoment } from '../../../platform/time/moment.js';
import { changeTexts } from '../../audit/entry-text.js';
import { printable } from '../../../platform/text/printable.js';
import { readCommand } from '../shared/read-command.js';

const usage = `Usage: npm run audit [-- options]

Lists who changed which price, budget, pause, takedown, key, access token, snapshot or invoice, and when; latest first.

  --kind KIND      only this kind:
                   ${SUBJECTS.join(', ')}
  --name NAME      only this name or id
  --since T        only from this date-time or date on
  --limit N        at most N entries (default: 50; all with --json)
  --json           a JSON object, with money in micros
  --data-dir DIR   where the installation is (default: the DATA_DIR setting, ./data)

Example: npm run audit -- --kind campaign --since 2026-11-01
`;

const OPTIONS = { kind: TEXT, name: TEXT, since: TEXT, limit: TEXT, json: FLAG } as const;

await main({
  usage,
  async run(argv, output) {
    const { values, config } = readCommand(argv, OPTIONS, 0);
    const kind = SUBJECTS.find((known) => known === values.kind);
    if (values.kind !== undefined && kind === undefined) {
      throw new UsageError(`--kind must be one of ${SUBJECTS.join(', ')}, not "${values.kind}"`);
    }
    const limit = limitOf(values.limit, values.json === true);
    const since = values.since === undefined ? undefined : readMoment(values.since, config.timeZone);
    if (values.since !== undefined && since === undefined) {
      throw new UsageError(`--since must be a date-time or a date such as 2026-11-21, not "${values.since}"`);
    }
    const filter = { kind, name: values.name, since };
    const { entries, damaged } = await withCluster(config, () => readAudit(config.dataDir, filter));
    print(entries.slice(0, limit), values.json === true, output);
    if (entries.length > limit) output.err(`${entries.length - limit} more: --limit\n`);
    if (damaged > 0) output.err(`${damaged} lines of the audit log cannot be read\n`);
  },
});

function limitOf(text: string | undefined, json: boolean): number {
  if (text === undefined) return json ? Infinity : 50;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--limit must be a whole number from 1 on, not "${text}"`);
  return Number(text);
}

function print(entries: readonly AuditEntry[], json: boolean, output: Output): void {
  if (json) return output.out(`${JSON.stringify({ entries }, null, 2)}\n`);
  if (entries.length === 0) return output.out('nothing was changed yet\n');
  const rows = entries.map(({ at, by, action, subject, ...changes }) => {
    const what = changeTexts(changes).map((line) => printable(line, 120));
    const row = [at.slice(0, 19), actorText(by), action, `${subject.kind} ${subject.name}`].map((text) =>
      printable(text),
    );
    return [...row, what.join('\n')];
  });
  output.out(`${drawTable({ head: ['when', 'who', 'did', 'to', 'what'] }, rows)}\nTimes in UTC.\n`);
}

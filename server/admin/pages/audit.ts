import type { Middleware } from 'koa';
import { actorText } from '../../../models/audit/actor.js';
import { SUBJECTS, type AuditEntry } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { changeTexts } from '../../audit/entry-text.js';
import { hrefOf } from '../rendering/show.js';
import type { PageOptions } from './page-options.js';

const ROWS_A_PAGE = 50;
/** Max bytes of the log that are read for a page, however few entries match. */
const BYTES_A_PAGE = 8 * 2 ** 20;

/** `GET /admin/audit`: who changed what, latest first, filtered by kind and name. */
export function audit({ show, path, config }: PageOptions): Middleware {
  return async (ctx) => {
    const given = new URLSearchParams(ctx.querystring);
    const kind = SUBJECTS.find((known) => known === given.get('kind'));
    const name = given.get('name') || undefined;
    const before = readBefore(given.get('before'));
    const extent = { before, entries: ROWS_A_PAGE, bytes: BYTES_A_PAGE };
    const { entries, damaged, next } = await readAudit(config.dataDir, { kind, name }, extent);
    const placeOf = (byte?: number) => hrefOf(`${path}/audit`, { kind, name, before: byte?.toString() });
    show(ctx, 'audit', {
      title: 'Changes',
      navEntry: 'audit',
      kinds: SUBJECTS,
      kind: kind ?? '',
      name: name ?? '',
      rows: entries.map(toRow),
      damaged,
      latest: before === undefined ? null : placeOf(),
      older: next === null ? null : placeOf(next),
    });
  };
}

/** Returns the position in the log that the address names, if any. */
function readBefore(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function toRow(entry: AuditEntry) {
  const { at, by, action, subject } = entry;
  return { at, who: actorText(by), action, subject, changes: changeTexts(entry) };
}

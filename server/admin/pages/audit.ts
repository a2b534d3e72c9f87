import type { Middleware } from 'koa';
import { actorText } from '../../../models/audit/actor.js';
import { SUBJECTS, type AuditEntry } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { changeTexts } from '../../audit/entry-text.js';
import { decimalsOf } from '../../invoice/payable.js';
import { format } from '../rendering/format.js';
import { hrefOf } from '../rendering/show.js';
import type { PageOptions } from './page-options.js';

const ROWS_A_PAGE = 50;
/** Max bytes of the log that are read for a page, however few entries match. */
const BYTES_A_PAGE = 8 * 2 ** 20;

/** `GET /admin/audit`: who changed what, latest first, filtered by kind and by a part of the name. */
export function audit({ show, path, config, calendar }: PageOptions): Middleware {
  return async (ctx) => {
    const given = new URLSearchParams(ctx.querystring);
    const kind = SUBJECTS.find((known) => known === given.get('kind'));
    const name = given.get('name')?.trim() || undefined;
    const before = readBefore(given.get('before'));
    const extent = { before, entries: ROWS_A_PAGE, bytes: BYTES_A_PAGE };
    const { entries, damaged, next } = await readAudit(config.dataDir, { kind, part: name }, extent);
    const placeOf = (byte?: number) => hrefOf(`${path}/audit`, { kind, name, before: byte?.toString() });
    show(ctx, 'audit', {
      title: 'Changes',
      navEntry: 'audit',
      kinds: SUBJECTS,
      kind: kind ?? '',
      name: name ?? '',
      isFiltered: kind !== undefined || name !== undefined,
      rows: entries.map((entry) => toRow(entry, { timeZone: calendar.timeZone, currency: config.currency })),
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

function toRow(entry: AuditEntry, { timeZone, currency }: { readonly timeZone: string; readonly currency: string }) {
  const { at, by, action, subject } = entry;
  const style = {
    moment: (moment: number | string) => format.moment(moment, timeZone),
    decimals: decimalsOf(currency),
  };
  return { at, who: actorText(by), action, subject, changes: changeTexts(entry, style) };
}

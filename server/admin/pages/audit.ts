import type { Middleware } from 'koa';
import { actorText } from '../../../models/audit/actor.js';
import { readAudit, SUBJECTS, type AuditEntry } from '../../../models/audit/audit-log.js';
import { changeTexts } from '../../audit/entry-text.js';
import { hrefOf } from '../view/show.js';
import type { PageOptions } from './page-options.js';

const ROWS_A_PAGE = 50;

/** `GET /admin/audit`: who changed what, the latest first, by kind and name. */
export function audit({ show, path, config }: PageOptions): Middleware {
  return async (ctx) => {
    const given = new URLSearchParams(ctx.querystring);
    const kind = SUBJECTS.find((known) => known === given.get('kind'));
    const name = given.get('name') || undefined;
    const { entries, damaged } = await readAudit(config.dataDir, { kind, name });
    const pages = Math.max(1, Math.ceil(entries.length / ROWS_A_PAGE));
    const page = Math.min(pages, Math.max(1, Math.floor(Number(given.get('page'))) || 1));
    const pageHref = (to: number) => hrefOf(`${path}/audit`, { kind, name, page: String(to) });
    show(ctx, 'audit', {
      title: 'Changes',
      place: 'audit',
      kinds: SUBJECTS,
      kind: kind ?? '',
      name: name ?? '',
      rows: entries.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE).map(toRow),
      all: entries.length,
      damaged,
      page,
      pages,
      earlier: page > 1 ? pageHref(page - 1) : null,
      later: page < pages ? pageHref(page + 1) : null,
    });
  };
}

function toRow(entry: AuditEntry) {
  const { at, by, action, subject } = entry;
  return { at, who: actorText(by), action, subject, changes: changeTexts(entry) };
}

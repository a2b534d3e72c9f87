import type { Context } from 'koa';

/** Rows of a page that a browser shows at once. */
export interface PageOfRows<Row> {
  readonly rows: readonly Row[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/** Returns the rows of the page that the address names: the first if it names none, the last if it has fewer. */
export function pageOf<Row>(ctx: Context, rows: readonly Row[], perPage: number): PageOfRows<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const wanted = new URLSearchParams(ctx.querystring).get('page');
  const page = Math.min(pages, Math.max(1, Math.floor(Number(wanted)) || 1));
  return { rows: rows.slice((page - 1) * perPage, page * perPage), page, pages };
}

/** Rows of a page that a browser shows at once. */
export interface PageOfRows<Row> {
  readonly rows: readonly Row[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/** Returns the page number that an address names; 1 if it names none. */
export function pageNumberIn(query: URLSearchParams): number {
  return Math.max(1, Math.floor(Number(query.get('page'))) || 1);
}

/** Returns the rows of a page; those of the last one if there are fewer. */
export function pageOf<Row>(rows: readonly Row[], wanted: number, perPage: number): PageOfRows<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const page = Math.min(pages, wanted);
  return { rows: rows.slice((page - 1) * perPage, page * perPage), page, pages };
}

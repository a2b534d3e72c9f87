/** Returns a date's month in the ledger's format: 202611 is November 2026. */
export function monthOf(date: string): number {
  return Number(date.slice(0, 4) + date.slice(5, 7));
}

export function monthAfter(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}

/** Returns the month in which an event of a given month is billed: that month, or the first open one after it. */
export function firstOpenMonth(month: number, isClosed: (month: number) => boolean): number {
  let open = month;
  while (isClosed(open)) open = monthAfter(open);
  return open;
}

/** Returns a month's first date: `202611` becomes `2026-11-01`. */
export function firstDateOf(month: number): string {
  return `${monthText(month)}-01`;
}

/** Formats a month such as 202611 as `2026-11`. */
export function monthText(month: number): string {
  return `${String(month).slice(0, 4)}-${String(month).slice(4)}`;
}

/** Reads a month such as `2026-11` as 202611; undefined if it is none. */
export function readMonth(text: string): number | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Number(text.replace('-', '')) : undefined;
}

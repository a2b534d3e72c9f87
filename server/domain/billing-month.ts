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

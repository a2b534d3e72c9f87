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

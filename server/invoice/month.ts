/** Returns a month's first date: `202611` becomes `2026-11-01`. */
export function firstDateOf(month: number): string {
  return `${String(month).slice(0, 4)}-${String(month).slice(4)}-01`;
}

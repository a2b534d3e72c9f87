/** The head of a column, which may be a link that orders the table by it. */
export interface SortableColumn {
  readonly title: string;
  readonly number: boolean;
  /** Link that sorts by this column, or reverses its order; null: not sortable. */
  readonly href: string | null;
  readonly sorted: 'ascending' | 'descending' | null;
}

/**
 * Returns the head of a column. Names and dates are sorted from the first at first, numbers from the largest.
 *
 * @param order the table's; null: that of no column
 * @param sortHref returns the address of the same page in another order; null: the table cannot be sorted
 */
export function sortableColumn(
  { name, title, number }: { readonly name: string; readonly title: string; readonly number: boolean },
  order: { readonly column: string; readonly descending: boolean } | null,
  sortHref: ((sort: string) => string) | null,
): SortableColumn {
  const sorted = order?.column !== name ? null : order.descending ? 'descending' : 'ascending';
  const descending = sorted === null ? number : sorted === 'ascending';
  return { title, number, sorted, href: sortHref === null ? null : sortHref((descending ? '-' : '') + name) };
}

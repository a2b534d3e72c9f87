import { hrefOf, type Traffic } from '../view/show.js';
import type { ReportView } from '../query/report-view.js';
import type { Dimension } from '../../reports/report-query.js';

/** Where the names in a table lead: to the page about them, over the same period and of the same traffic. */
export function nameLinks(path: string, { query: { from, to }, traffic }: Pick<ReportView, 'query' | 'traffic'>) {
  const at = (page: string, query: Record<string, string>): string =>
    hrefOf(path + page, { ...query, test: (traffic satisfies Traffic).parameter });
  return (dimension: Dimension, name: string): string | undefined => {
    switch (dimension) {
      case 'creative':
        return at('/creative', { id: name, from, to });
      case 'publisher':
        return at('/publisher', { name, from, to });
      case 'day':
        return at('/reports', { by: 'hour', from: name, to: name });
      case 'hour':
        return undefined;
      default:
        return at('/reports', { by: 'creative', [dimension]: name, from, to });
    }
  };
}

import type { Dimension } from '../../reports/report-query.js';
import type { ReportRow } from '../../reports/report.js';
import { filterParameters, type NameFilters } from '../query/page-query.js';
import type { ReportView } from '../query/report-view.js';
import { hrefOf, type Traffic } from '../rendering/show.js';

/**
 * Returns a function that links a table's names to their pages, for the same period and traffic.
 *
 * @param where the filters of the table's rows. With any besides the name itself, a name links to a report with all of
 * them, since its own page has none
 */
export function nameLinks(
  path: string,
  { query: { from, to }, traffic }: Pick<ReportView, 'query' | 'traffic'>,
  where: NameFilters = {},
) {
  const at = (page: string, query: Record<string, string>): string =>
    hrefOf(path + page, { ...query, test: (traffic satisfies Traffic).parameter });
  return (dimension: Dimension, name: string, { advertiser }: ReportRow['group']): string | undefined => {
    const report = (by: Dimension, more: NameFilters, days = { from, to }): string =>
      at('/reports', { by, ...filterParameters({ ...where, ...more }), ...days });
    const isFiltered = Object.keys(where).some((other) => other !== dimension);
    switch (dimension) {
      case 'creative':
        return isFiltered ? report('day', { creative: name }) : at('/creative', { id: name, from, to });
      case 'publisher':
        return isFiltered ? report('day', { publisher: name }) : at('/publisher', { name, from, to });
      case 'advertiser':
        return isFiltered ? report('creative', { advertiser: name }) : at('/advertiser', { name, from, to });
      case 'day':
        return report('hour', {}, { from: name, to: name });
      case 'hour':
        return undefined;
      default:
        dimension satisfies 'campaign';
        // Two advertisers may have campaigns of the same name, and one may have no advertiser.
        return report('creative', { campaign: name, advertiser: advertiser ?? '' });
    }
  };
}

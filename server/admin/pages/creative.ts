import type { Middleware } from 'koa';
import { lookUpTerms } from '../../campaigns/terms/creative-in-force.js';
import { readReportView } from '../query/report-view.js';
import { isEmpty } from '../query/traffic.js';
import type { PageOptions } from './page-options.js';
import { timeCharts } from '../plots/charts.js';
import type { Creative } from '../../../models/schema/creative.js';
import { languageName } from '../../../models/text/language-tag.js';
import { API } from '../../domain/urls.js';
import { figuresOf } from './figures.js';
import { nameLinks } from './name-links.js';
import { tableOf } from './table.js';
import { sharesOf } from './reasons.js';

/** `GET /admin/creative?id=`: a creative as people see it, with its figures. */
export function creative(options: PageOptions): Middleware {
  const { show, path, basePath, catalogue, calendar, takedowns } = options;
  return async (ctx) => {
    const id = new URLSearchParams(ctx.querystring).get('id') ?? '';
    const view = await readReportView(ctx, options);
    const where = { creative: id };
    const [byTime, compared, byPublisher] = await Promise.all([
      view.report([view.step], where),
      view.compare(where),
      view.report(['publisher'], where),
    ]);
    const found = catalogue.find(id) ?? null;
    const inForce = found === null ? null : lookUpTerms(await options.campaigns.read())(found);
    const shown = inForce?.creative ?? null;
    if (
      id === '' ||
      (shown === null && isEmpty((await options.runReport({ by: [], where, test: view.traffic.test })).total))
    ) {
      return ctx.throw(404, 'there is no such creative, and nothing was counted for one');
    }
    const linkTo = nameLinks(path, view);
    const { advertiser = null, campaign = null } = shown ?? {};
    show(ctx, 'creative', {
      title: shown?.name ?? id,
      navEntry: 'creatives',
      traffic: view.traffic,
      view,
      id,
      creative: shown,
      advertiserHref: advertiser === null ? undefined : linkTo('advertiser', advertiser, {}),
      campaignHref: campaign === null ? undefined : linkTo('campaign', campaign, { advertiser }),
      takedown: (await takedowns.read()).creatives.find((each) => each.id === id) ?? null,
      image: shown?.imageFile ? `${basePath}${API}/images/${shown.imageFile}` : null,
      language: shown === null ? '' : languageInWords(shown),
      feed: inForce?.feed ?? null,
      set: inForce?.overridden ?? [],
      // Only the requests filled with the creative are counted for it: its fill rate would always be 1.
      figures: figuresOf(byTime.total, compared, byTime.currency).filter(({ name }) => name !== 'Fill rate'),
      charts: await timeCharts({ plots: options.plots, currency: byTime.currency }, view, byTime, [
        'spend',
        'impressions',
        'clicks',
        'ctr',
      ]),
      ignored: sharesOf(byTime.total.ignored),
      publishers: tableOf({
        by: ['publisher'],
        rows: byPublisher.rows,
        total: byPublisher.total,
        order: null,
        sortHref: () => '',
        nameHref: linkTo,
        catalogue,
        calendar,
        currency: byTime.currency,
      }),
    });
  };
}

function languageInWords({ language, writtenIn }: Creative): string {
  if (language !== undefined) return `${languageName(language) ?? language} (${language}), for conversations in it`;
  const written = writtenIn === undefined ? '' : `; its text is ${languageName(writtenIn) ?? writtenIn}`;
  return `for conversations in any${written}`;
}

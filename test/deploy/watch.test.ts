import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Ad } from '../../models/schema/ad.js';
import { EVENT_KINDS, IGNORED_REASONS, NO_FILL_REASONS } from '../../models/schema/event-kinds.js';
import { KEY_REJECTIONS } from '../../server/domain/publisher.js';
import { createMetrics } from '../../server/operation/metrics.js';
import { type Operator, ROWS, startOperator } from '../server/admin/operator.js';
import { match } from '../support/installation.js';
import { type MetricsPage, readMetricsPage } from './metrics-page.js';
import { namesIn } from './promql.js';

const WATCH = fileURLToPath(new URL('../../../deploy/watch/', import.meta.url));
const read = (file: string): string => readFileSync(path.join(WATCH, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[];
  };
}

const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
const EXPRESSIONS: readonly (readonly [of: string, expression: string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.annotations.list.map(({ expr }) => ['annotation', expr] as const),
  ['variable', 'adjacent_encoder_queue'],
];

/** Labels that Prometheus adds to every target, and its own metric. */
const TARGET = new Set(['job', 'instance']);
const OF_PROMETHEUS = 'up';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  reason: ['filled', ...NO_FILL_REASONS],
  kind: EVENT_KINDS,
  outcome: ['counted', 'waiting', 'unavailable', ...IGNORED_REASONS],
  fault: KEY_REJECTIONS,
  job: ['adjacent'],
  instance: ['$instance'],
};

describe('alert rules and dashboard', function () {
  this.timeout(60_000);
  let operator: Operator;
  let page: MetricsPage;

  before(async () => {
    operator = await startOperator({ feeds: [ROWS], settings: { OPS_PORT: '0', LANGUAGES: 'en' } });
    const { port, operatorsPort, demoKey } = operator.serving;
    const origin = `http://127.0.0.1:${port}`;
    const answer = await match(origin, demoKey!, 'User: which boots are good for hiking in the hills?');
    const { impressionUrl, targetUrl } = (await answer.json()) as Ad;
    for (const url of [impressionUrl, targetUrl]) await fetch(url, { redirect: 'manual' });
    expect((await match(origin, 'pub_nobody', 'User: hello')).status).to.equal(401);
    page = readMetricsPage(await (await fetch(`http://127.0.0.1:${operatorsPort}/metrics`)).text());
  });
  after(() => operator.close());

  it('use only metrics of a running server, with labels that these have', () => {
    const faults = EXPRESSIONS.flatMap(([of, expression]) => {
      const { selectors, labels } = namesIn(expression);
      expect(selectors.length, `${of}: ${expression}`).to.be.above(0);
      return selectors.flatMap(({ metric, matchers }) => {
        if (metric === OF_PROMETHEUS) return [];
        const known = page.get(metric);
        if (known === undefined) return [`${of}: there is no ${metric}`];
        const asked = [...labels, ...matchers.map(({ label }) => label)];
        return asked
          .filter((label) => !TARGET.has(label) && !known.has(label))
          .map((label) => `${of}: ${metric} has no ${label}`);
      });
    });
    expect(faults).to.deep.equal([]);
  });

  it('compare labels only with values that they can have', () => {
    const seen = (metric: string, label: string): readonly string[] => [...(page.get(metric)?.get(label) ?? [])];
    const faults = EXPRESSIONS.flatMap(([of, expression]) =>
      namesIn(expression).selectors.flatMap(({ metric, matchers }) =>
        matchers.flatMap(({ label, value }) =>
          value
            .split('|')
            .filter((each) =>
              label === 'status'
                ? !/^[1-5][\d.]{2}$/.test(each)
                : !(WORDS[label] ?? seen(metric, label)).includes(each),
            )
            .map((each) => `${of}: ${label} is never ${each}`),
        ),
      ),
    );
    expect(faults).to.deep.equal([]);
  });

  it('have a readiness metric for each check', () => {
    const checks = ['server', 'catalogue', 'encoder', 'ledger', 'disk', 'clock'];
    expect([...(page.get('adjacent_ready')?.get('check') ?? [])]).to.have.members(checks);
  });

  it('find the counters that alerts compare in a server that has counted nothing yet', async () => {
    const fresh = readMetricsPage(await createMetrics(() => ({ requests: 0, texts: 0 })).registry.metrics());
    for (const metric of ['adjacent_decisions_total', 'adjacent_events_total', 'adjacent_key_faults_total']) {
      for (const [label, values] of fresh.get(metric) ?? []) expect([...values], label).to.have.members(WORDS[label]!);
      expect([...(fresh.get(metric)?.keys() ?? [])], metric).to.have.members([...page.get(metric)!.keys()]);
    }
  });

  it('show every one of our metrics, in panels that do not overlap', () => {
    const shown = EXPRESSIONS.flatMap(([, expression]) => namesIn(expression).selectors.map(({ metric }) => metric));
    const bare = new Set(shown.map((metric) => metric.replace(/_(count|bucket|sum)$/, '')));
    const own = [...page.keys()].filter((name) => name.startsWith('adjacent_'));
    for (const name of own) expect(bare).to.include(name.replace(/_(count|bucket|sum)$/, ''));

    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, number) => `${x + (number % w)} ${y + Math.floor(number / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
  });

  it('state for each alert how severe it is, where, and what to do', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary, alert).to.include('$labels.instance');
      expect(annotations.description, alert).to.match(/\w/);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
  });

  it('are valid for Prometheus, and fire when they should', function () {
    this.timeout(180_000);
    if (spawnSync('promtool', ['--version']).error !== undefined) this.skip();
    for (const args of [
      ['check', 'config', 'prometheus.yml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: WATCH, encoding: 'utf8' });
      expect(status, stdout + stderr).to.equal(0);
    }
  });
});

describe('the names in an expression', () => {
  it('are metrics with the labels that they are compared by, and grouping labels', () => {
    const expression = `sum by (le, route) (rate(a_bucket{x=~"b|c,}", y!="d"}[5m])) / on (z) b > 0.5 and c offset 1d`;
    expect(namesIn(expression)).to.deep.equal({
      selectors: [
        {
          metric: 'a_bucket',
          matchers: [
            { label: 'x', operator: '=~', value: 'b|c,}' },
            { label: 'y', operator: '!=', value: 'd' },
          ],
        },
        { metric: 'b', matchers: [] },
        { metric: 'c', matchers: [] },
      ],
      labels: ['le', 'route', 'z'],
    });
  });
});

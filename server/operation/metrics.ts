import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EVENT_KINDS, IGNORED_REASONS, NO_FILL_REASONS } from '../../models/schema/event-kinds.js';
import { KEY_REJECTIONS } from '../domain/publisher.js';
import type { ReadinessCheck } from './readiness.js';

/** Metrics of the running service. Label values come from fixed lists, never from what a client sent. */
export interface Metrics {
  readonly registry: Registry;
  /** Read when the page is asked for. */
  readonly encoderQueue: Gauge<'waiting'>;
  /** Read when the page is asked for. */
  readonly ready: Gauge<'check'>;
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  readonly decisions: Counter<'reason'>;
  readonly decisionsByLanguage: Counter<'language' | 'outcome'>;
  readonly keyFaults: Counter<'fault'>;
  readonly events: Counter<'kind' | 'outcome'>;
}

/**
 * Creates the metrics in their own registry, so that two apps in one process do not share counts.
 *
 * @param encoderQueue returns how many requests wait for their turn now, and how many texts for the encoder
 * @param readiness checks behind `/readyz`
 */
export function createMetrics(
  encoderQueue: () => { readonly requests: number; readonly texts: number },
  readiness: readonly ReadinessCheck[] = [],
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics: Metrics = {
    registry,
    encoderQueue: new Gauge({
      name: 'adjacent_encoder_queue',
      help: 'Requests waiting for their turn, and texts waiting for an encoder worker',
      labelNames: ['waiting'],
      registers,
      collect() {
        for (const [waiting, count] of Object.entries(encoderQueue())) this.set({ waiting }, count);
      },
    }),
    ready: new Gauge({
      name: 'adjacent_ready',
      help: 'Checks behind /readyz: 1 if it passes, 0 if it fails',
      labelNames: ['check'],
      registers,
      async collect() {
        for (const { name, fault } of readiness) this.set({ check: name }, (await fault()) === null ? 1 : 0);
      },
    }),
    requestSeconds: new Histogram({
      name: 'adjacent_request_seconds',
      help: 'Time from request to response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    decisions: new Counter({
      name: 'adjacent_decisions_total',
      help: 'Match responses: filled, or why there was no ad',
      labelNames: ['reason'],
      registers,
    }),
    decisionsByLanguage: new Counter({
      name: 'adjacent_decisions_by_language_total',
      help: 'Match responses by language of the conversation: filled, or no-ad',
      labelNames: ['language', 'outcome'],
      registers,
    }),
    keyFaults: new Counter({
      name: 'adjacent_key_faults_total',
      help: 'Rejected publisher keys by fault',
      labelNames: ['fault'],
      registers,
    }),
    events: new Counter({
      name: 'adjacent_events_total',
      help: 'Impressions, views and clicks: counted, or why not',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
  };
  beginAtZero(metrics);
  return metrics;
}

const OUTCOMES = ['counted', 'waiting', 'unavailable', ...IGNORED_REASONS];

/**
 * Shows the counters as 0 that have not counted yet. To Prometheus, a counter that appears with its first count has not
 * increased, and an expression that reads one that never appeared has no value: its alert stays silent.
 */
function beginAtZero({ decisions, keyFaults, events }: Metrics): void {
  for (const reason of ['filled', ...NO_FILL_REASONS]) decisions.inc({ reason }, 0);
  for (const fault of KEY_REJECTIONS) keyFaults.inc({ fault }, 0);
  for (const kind of EVENT_KINDS) for (const outcome of OUTCOMES) events.inc({ kind, outcome }, 0);
}

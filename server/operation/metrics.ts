import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadinessCheck } from './readiness.js';

/** What is counted about the running service. Labels hold only words of ours, never what a caller sent. */
export interface Metrics {
  readonly registry: Registry;
  /** Read when the page is asked for. */
  readonly encoderQueue: Gauge;
  /** Read when the page is asked for. */
  readonly ready: Gauge<'check'>;
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  readonly decisions: Counter<'reason'>;
  readonly decisionsByLanguage: Counter<'language' | 'outcome'>;
  readonly keyFaults: Counter<'fault'>;
  readonly events: Counter<'kind' | 'outcome'>;
}

/**
 * Creates the metrics in a registry of their own, so that two apps in one process do not share counts.
 *
 * @param encoderQueue how many requests and texts wait for the encoder now
 * @param readiness what `/readyz` asks for
 */
export function createMetrics(encoderQueue: () => number, readiness: readonly ReadinessCheck[] = []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    encoderQueue: new Gauge({
      name: 'adjacent_encoder_queue',
      help: 'Requests that wait for their turn, and texts that wait for an encoder worker',
      registers,
      collect() {
        this.set(encoderQueue());
      },
    }),
    ready: new Gauge({
      name: 'adjacent_ready',
      help: 'What /readyz asks for: 1 where it holds, 0 where it does not',
      labelNames: ['check'],
      registers,
      async collect() {
        for (const { name, fault } of readiness) this.set({ check: name }, (await fault()) === null ? 1 : 0);
      },
    }),
    requestSeconds: new Histogram({
      name: 'adjacent_request_seconds',
      help: 'Time from request to answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    decisions: new Counter({
      name: 'adjacent_decisions_total',
      help: 'Match answers: filled, or why there was no ad',
      labelNames: ['reason'],
      registers,
    }),
    decisionsByLanguage: new Counter({
      name: 'adjacent_decisions_by_language_total',
      help: 'Match answers by the language of the conversation: filled, or no-ad',
      labelNames: ['language', 'outcome'],
      registers,
    }),
    keyFaults: new Counter({
      name: 'adjacent_key_faults_total',
      help: 'Refused publisher keys by what was wrong with them',
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
}

import type { EventKind, NoFillReason } from '../../models/schema/event-kinds.js';
import type { Books } from './books.js';
import type { Act } from './click-model.js';
import { priceOf, type Terms } from './terms.js';

/** One response of the match endpoint to one of the simulated publishers. */
export type SimulatedDecision = {
  readonly publisher: string;
  readonly test: boolean;
  /** Position of the request in its session, from 1. */
  readonly position: number;
} & (
  | { readonly terms: Terms; readonly score: number; readonly reason: null }
  | { readonly terms: null; readonly reason: NoFillReason }
);

export type FilledDecision = Extract<SimulatedDecision, { reason: null }>;

export const isAd = (answer: SimulatedDecision): answer is FilledDecision => answer.reason === null;

/** Returns whether an event is a click that costs something, which needs an impression. */
export function isUnproved(kind: EventKind, terms: Terms, test: boolean): boolean {
  return kind === 'click' && !test && priceOf(terms, kind) > 0;
}

/** Records an act in the books according to the documented rules (`server/events/README.md`). */
export function bookAct(
  books: Books,
  { publisher, test, terms }: FilledDecision,
  { kind, manner }: Act,
  at: number,
): void {
  const dimensions = { publisher, ad: terms, test };
  switch (manner) {
    case 'late':
    case 'unshown':
      // No impression was recorded.
      if (isUnproved(kind, terms, test)) return books.ignored(at, dimensions, 'no-impression');
      return books.happened(at, publisher, test, terms, kind);
    case 'plain':
      return books.happened(at, publisher, test, terms, kind);
    case 'rapid':
      // Test keys are exempt, because people who try out an integration click often.
      return test ? books.happened(at, publisher, test, terms, kind) : books.ignored(at, dimensions, 'rapid');
    case 'again':
      return books.ignored(at, dimensions, 'repeated');
    case 'missing':
    case 'invalid':
      // Their ad is unknown.
      return books.ignored(at, { publisher: null, ad: null, test: false }, manner);
    default:
      return books.ignored(at, dimensions, manner);
  }
}

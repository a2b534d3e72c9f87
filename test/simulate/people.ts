import { conversations } from '../bench/service.js';

/** Publishers and their shares of the traffic, all made up; the last one tries Adjacent out with a test key. */
export const PUBLISHERS = [
  { name: 'Wayfarer Chat', share: 0.34, test: false },
  { name: 'Kitchen Counter', share: 0.24, test: false },
  { name: 'Pocket Tutor', share: 0.17, test: false },
  { name: 'Ledgerly', share: 0.12, test: false },
  { name: 'Night Owl', share: 0.08, test: false },
  { name: 'Ledgerly, trying', share: 0.05, test: true },
] as const;

export type Publisher = (typeof PUBLISHERS)[number];

/** One session: a person's requests in order, at one publisher. */
export interface Person {
  readonly number: number;
  readonly publisher: Publisher;
  readonly contexts: readonly string[];
}

/**
 * @returns sessions of one to six requests, `questions` requests in total: conversations of the public sets in random
 * order
 */
export function people(questions: number, random: () => number): Person[] {
  const order = conversations(questions).map((context) => ({ context, key: random() }));
  const contexts = order.toSorted((one, other) => one.key - other.key).map(({ context }) => context);
  const sessions: Person[] = [];
  for (let first = 0; first < questions;) {
    const length = 1 + Math.floor(6 * random() ** 2);
    const publisher = publisherAt(random());
    sessions.push({ number: sessions.length, publisher, contexts: contexts.slice(first, first + length) });
    first += length;
  }
  return sessions;
}

function publisherAt(share: number): Publisher {
  let sum = 0;
  return PUBLISHERS.find((publisher) => (sum += publisher.share) > share) ?? PUBLISHERS[0];
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ThreadRequests } from '../../platform/threads/requests.js';
import { CountedWords } from './count-words.js';
import { makeWordTables, type WordTables } from './word-tables.js';
import type { WordTasks } from './word-worker.js';

/** Characters between two turns of the event loop: a millisecond or two; some 10 ms for Chinese, which is segmented. */
const CHARACTERS_AT_ONCE = 4000;
/** Characters sent to the thread at once, which takes some tenths of a millisecond. */
const CHARACTERS_SENT = 40_000;

/** Makes the tables of a catalogue on the event loop, in batches. */
export async function buildWordTables(texts: Iterable<string>): Promise<WordTables> {
  const counted = new CountedWords();
  for (const batch of batchesOf(texts, CHARACTERS_AT_ONCE)) {
    for (const text of batch) counted.add(text);
    await nextTurn();
  }
  return makeWordTables(counted);
}

/**
 * Makes the tables of a large catalogue in a thread of its own.
 *
 * @throws Error if the thread ends, or runs out of memory
 */
export async function buildWordTablesInThread(texts: Iterable<string>): Promise<WordTables> {
  const worker = new Worker(new URL('./word-worker.js', import.meta.url));
  const thread = new ThreadRequests<WordTasks>(worker, { ended: 'the thread that builds the word index ended' });
  try {
    for (const batch of batchesOf(texts, CHARACTERS_SENT)) await thread.ask('add', batch);
    return await thread.ask('finish', null);
  } finally {
    await worker.terminate();
  }
}

/** Yields texts in batches that end with the text that exceeds the number of characters. */
function* batchesOf(texts: Iterable<string>, characters: number): Iterable<string[]> {
  let batch: string[] = [];
  let left = characters;
  for (const text of texts) {
    batch.push(text);
    left -= text.length;
    if (left >= 0) continue;
    yield batch;
    batch = [];
    left = characters;
  }
  yield batch;
}

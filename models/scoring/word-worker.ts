import { parentPort } from 'node:worker_threads';
import { answerRequests } from '../../platform/threads/answer.js';
import { shareArrays } from '../../platform/threads/share-arrays.js';
import { CountedWords } from './count-words.js';
import { makeWordTables, type WordTables } from './word-tables.js';

export interface WordTasks {
  /** Adds the next texts of the catalogue. */
  add(texts: readonly string[]): void;
  /** Makes the tables once all texts have been added. */
  finish(input: null): Promise<WordTables>;
}

const counted = new CountedWords();

answerRequests<WordTasks>(parentPort!, {
  add(texts) {
    for (const text of texts) counted.add(text);
  },
  finish: async () => shareArrays(await makeWordTables(counted)),
});

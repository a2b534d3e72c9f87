import { NumberList } from '../../platform/collections/number-list.js';
import { usesEnglishWords } from './document-frequencies.js';
import { wordsOf } from './words-of.js';

/** The words of texts. A text's label is its position, a word's number its position in the order of first appearance. */
export class CountedWords {
  readonly words: string[] = [];
  /** By number: how many texts have the word. */
  readonly matches = new NumberList();
  /** The numbers of all words of all texts, in order. */
  readonly sequence = new NumberList();
  /** By label: how many words the text has. */
  readonly lengths = new NumberList();
  /** By label: 1 if the words are English, else 0. */
  readonly english = new NumberList();
  readonly #numbers = new Map<string, number>();
  /** By number: the label of the last text that has the word. */
  readonly #last = new NumberList();

  /** Adds the words of the next text. */
  add(text: string): void {
    const words = wordsOf(text);
    for (const word of words) this.#addWord(word, this.lengths.length);
    this.lengths.push(words.length);
    this.english.push(usesEnglishWords(words) ? 1 : 0);
  }

  #addWord(word: string, label: number): void {
    const known = this.#numbers.get(word);
    const number = known ?? this.words.length;
    this.sequence.push(number);
    if (known === undefined) {
      this.#numbers.set(word, number);
      this.words.push(word);
      this.matches.push(1);
      this.#last.push(label);
    } else if (this.#last.get(number) !== label) {
      this.matches.set(number, this.matches.get(number) + 1);
      this.#last.set(number, label);
    }
  }
}

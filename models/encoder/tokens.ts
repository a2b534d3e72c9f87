import type { PreTrainedTokenizer } from '@xenova/transformers';

/** Token ids of a text, without special tokens. */
export type Tokenize = (text: string) => number[];

export function bareTokenizer(tokenizer: PreTrainedTokenizer): Tokenize {
  return (text) => tokenizer.encode(text, { add_special_tokens: false });
}

/** What the tokenizer puts before and behind a text: `[CLS]` and `[SEP]` in a BERT. */
export function markTokens(tokenizer: PreTrainedTokenizer): { before: readonly number[]; after: readonly number[] } {
  const full = tokenizer.encode('a');
  const inner = tokenizer.encode('a', { add_special_tokens: false });
  const start = full.findIndex((_, at) => inner.every((id, offset) => full[at + offset] === id));
  return { before: full.slice(0, start), after: full.slice(start + inner.length) };
}

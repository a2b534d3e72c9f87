import './no-telemetry.js';
import path from 'node:path';
import { AutoModel, AutoTokenizer, env, type PreTrainedModel, Tensor } from '#transformers';
import type { EncoderProfile } from './profile.js';

/** Token ids of a text, without special tokens. */
export type Tokenize = (text: string) => number[];

/** A model's tokenizer and graphs, loaded from local files; nothing is ever downloaded. */
export interface LocalModel {
  readonly tokenize: Tokenize;
  /** Adds the special tokens that the tokenizer puts around a text, such as `[CLS]` and `[SEP]` in BERT models. */
  withSpecialTokens(ids: readonly number[]): number[];
  /** Loads a graph, `onnx/NAME.onnx` in the profile's weight format. It runs single-threaded on the calling thread. */
  graph(name?: string): Promise<PreTrainedModel>;
}

export async function openLocalModel({ directory, dtype }: EncoderProfile): Promise<LocalModel> {
  env.allowRemoteModels = false;
  env.localModelPath = path.dirname(directory) + path.sep;
  const name = path.basename(directory);
  const tokenizer = await AutoTokenizer.from_pretrained(name, { local_files_only: true });
  const tokenize = (text: string) => tokenizer.encode(text, { add_special_tokens: false });
  const [full, inner] = [tokenizer.encode('a'), tokenize('a')];
  const start = full.findIndex((_, at) => inner.every((id, offset) => full[at + offset] === id));
  const [before, after] = [full.slice(0, start), full.slice(start + inner.length)];
  return {
    tokenize,
    withSpecialTokens: (ids) => [...before, ...ids, ...after],
    graph: (graph = 'model') =>
      AutoModel.from_pretrained(name, {
        local_files_only: true,
        dtype,
        model_file_name: graph,
        session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
      }),
  };
}

/** Returns integers as a tensor of one row. */
export function row(values: readonly number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
}

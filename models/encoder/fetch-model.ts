import './no-telemetry.js';
import { AutoModel, AutoTokenizer, env } from '@xenova/transformers';

/** Where models are published; any mirror with the same paths will do. */
export const HUB = 'https://huggingface.co/';

/**
 * Downloads a model in the layout that the encoder loads, for `MODEL=name`. The encoder itself reads local files alone,
 * so that serving and indexing open no connection.
 *
 * @param name as the hub names it, such as `Xenova/bge-small-en-v1.5`
 * @param directory where fetched models lie: the model goes to `directory/name`
 * @throws Error when it cannot be had
 */
export async function fetchModel(
  name: string,
  directory: string,
  hub = HUB,
  dtype: 'q8' | 'fp32' = 'q8',
): Promise<void> {
  env.allowRemoteModels = true;
  env.allowLocalModels = false;
  env.remoteHost = hub;
  env.cacheDir = directory;
  await AutoTokenizer.from_pretrained(name);
  const model = await AutoModel.from_pretrained(name, { dtype });
  await model.dispose();
}

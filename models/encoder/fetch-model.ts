import './no-telemetry.js';
import { AutoModel, AutoTokenizer, env } from '#transformers';

/** Default host of published models; any mirror with the same paths works. */
export const HUB = 'https://huggingface.co/';

/**
 * Downloads a model in the layout that the encoder loads, for `MODEL=name`. The encoder itself reads only local files,
 * so serving and indexing open no connection.
 *
 * @param name the hub's name of the model, such as `Xenova/bge-small-en-v1.5`
 * @param directory directory of fetched models: the model goes to `directory/name`
 * @param dtype weight format
 * @throws Error if it cannot be downloaded
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

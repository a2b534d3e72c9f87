import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CREATIVE_RULES } from './embed-creative.js';
import type { EncoderProfile } from './profile.js';

/**
 * Returns a digest of everything that determines a vector: weights, tokenizer, and how text is prepared for them. Two
 * encoders with the same fingerprint make comparable vectors. The model's name and directory do not matter.
 */
export async function fingerprintOf(profile: EncoderProfile): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await modelFiles(profile.directory)) {
    const bytes = await readFile(file);
    // A checkout on Windows may have other line ends; the model is the same.
    const hasOtherLineEnds = file.endsWith('.json') && bytes.includes('\r\n');
    const content = hasOtherLineEnds ? bytes.toString('utf8').replaceAll('\r\n', '\n') : bytes;
    hash.update(path.basename(file)).update(content);
  }
  const { layout, dtype, pooling, contextPrefix, creativePrefix, contextTokens, creativeTokens } = profile;
  hash.update(
    JSON.stringify({
      ...(profile.second && { second: await fingerprintOf(profile.second.profile), weight: profile.second.weight }),
      ...(layout === 'joint' && { layout }),
      dtype,
      pooling,
      contextPrefix,
      creativePrefix,
      contextTokens,
      creativeTokens,
      CREATIVE_RULE: CREATIVE_RULES[layout],
    }),
  );
  return hash.digest('hex').slice(0, 16);
}

async function modelFiles(directory: string): Promise<string[]> {
  const weights = (await readdir(path.join(directory, 'onnx'))).filter((file) => file.includes('.onnx')).toSorted();
  return ['config.json', 'tokenizer.json', ...weights.map((file) => path.join('onnx', file))].map((file) =>
    path.join(directory, file),
  );
}

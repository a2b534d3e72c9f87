import type { DecisionModel } from '../../models/scoring/decision-model.js';
import type { Publisher } from '../domain/publisher.js';

/** The lowest score at which an ad is served, and where it comes from. */
export interface Floor {
  readonly value: number;
  readonly from: 'publisher' | 'setting' | 'model';
}

/** Returns the publisher's own floor, else the FLOOR setting, else the floor fitted with the model. */
export function floorFor(
  publisher: Pick<Publisher, 'floor'>,
  setting: number | null,
  model: Pick<DecisionModel, 'floor'>,
): Floor {
  if (publisher.floor !== null) return { value: publisher.floor, from: 'publisher' };
  if (setting !== null) return { value: setting, from: 'setting' };
  return { value: model.floor, from: 'model' };
}

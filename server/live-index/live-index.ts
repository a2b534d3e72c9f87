import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { PointerFollower, type LiveIndexOptions, type LiveIndexState } from './pointer-follower.js';

/** Starts loading the live snapshot in the background, and follows the pointer from then on. */
export function openLiveIndex(options: LiveIndexOptions): LiveIndex {
  return new PointerFollower(options);
}

/** The snapshot that answers matches, following the pointer by itself. */
export interface LiveIndex {
  /** What is live in this process; null before anything could be loaded. Hold it for one request, not longer. */
  current(): LoadedSnapshot | null;
  /** Where a creative leads, those that left the catalogue within the click window included; null: unknown. */
  landingUrl(creativeId: string): string | null;
  state(): LiveIndexState;
  /** Resolves once the pointer was read for the first time, whatever came of it. */
  readonly opened: Promise<void>;
  /** Stops following; waits for a load under way. */
  close(): Promise<void>;
}

import type { Claims } from './claims.js';

/** Whose budget an event is paid from: its campaign's, or its creative's own where it has no campaign. The other is empty. */
export interface Account {
  readonly campaign: string;
  readonly creative: string;
}

/** Which account pays for what a creative does. */
export function accountOf({ campaign, creative }: Pick<Claims, 'campaign' | 'creative'>): Account {
  return campaign === null ? { campaign: '', creative } : { campaign, creative: '' };
}

/** One text for an account. A creative's id holds no line break, so that no two accounts share it. */
export function accountKey({ campaign, creative }: Account): string {
  return `${creative}\n${campaign}`;
}

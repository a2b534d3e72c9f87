/** The two kinds of parties that an operator deals with, which are also roles of access tokens. */
export const PARTY_KINDS = ['advertiser', 'publisher'] as const;
export type PartyKind = (typeof PARTY_KINDS)[number];

/** An advertiser or a publisher. */
export interface Party {
  readonly kind: PartyKind;
  /** Exactly as the ledger has it: another spelling is another account. Never empty. */
  readonly name: string;
}

export function isPartyKind(text: string): text is PartyKind {
  return (PARTY_KINDS as readonly string[]).includes(text);
}

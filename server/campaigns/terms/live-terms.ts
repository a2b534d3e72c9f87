import type { Creative } from '../../../models/schema/creative.js';
import type { Claims } from '../../domain/claims.js';
import { followStore, type FollowLog } from '../../stores/followed-store.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';
import { storedFor, type Terms, termsBy } from './terms.js';

/** The terms in force, following changes of the campaign file. */
export interface LiveTerms {
  of(creative: Creative): Terms;
  /**
   * Returns the terms that commands have set for the campaign of a served ad. The advertiser in the claims is the
   * payer.
   */
  overridesFor(claims: Pick<Claims, 'advertiser' | 'campaign'>): StoredCampaign | undefined;
  /** Changes whenever the terms change. */
  readonly revision: number;
  close(): Promise<void>;
}

export interface FollowTermsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly log: FollowLog;
  readonly onChange: () => void;
}

const POLL_MS = 250;

/** Follows the campaign file. @throws DamagedStoreError when it is damaged at the start */
export async function followTerms({ store, log, onChange }: FollowTermsOptions): Promise<LiveTerms> {
  let terms = termsBy({ version: 1, campaigns: [] });
  let revision = 0;
  const apply = (file: CampaignFile): void => {
    terms = termsBy(file);
    revision++;
    onChange();
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'campaigns', pollMs: POLL_MS });
  apply(followed.current);
  return {
    of: (creative) => terms.of(creative),
    overridesFor({ campaign, advertiser }) {
      const named = terms.overridesOf(campaign);
      const payerOf = ({ advertiser: payer, of: feedAdvertiser }: StoredCampaign) =>
        payer === undefined ? feedAdvertiser : payer;
      return named.find((each) => payerOf(each) === advertiser) ?? storedFor(named, advertiser);
    },
    get revision() {
      return revision;
    },
    close: () => followed.close(),
  };
}

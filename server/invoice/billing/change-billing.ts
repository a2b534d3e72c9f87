import { changesBetween, type SubjectChange } from '../../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../../audit/change-audited.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { BillingFile } from './billing-file.js';

/** Changes billing details and records who changed whose. @throws DamagedStoreError, or whatever `change` throws */
export function changeBilling<R>(
  store: SharedStore<BillingFile>,
  audited: AuditedAction,
  change: (file: BillingFile) => R,
): Promise<R> {
  return changeAudited(store, audited, billingChanges, change);
}

/** Lists the changes of the seller and of advertisers' billing details. */
export function billingChanges(before: BillingFile, after: BillingFile): SubjectChange[] {
  const [one, other] = [before, after].map(({ seller }) => (seller === undefined ? [] : [seller]));
  return [
    ...changesBetween({ kind: 'billing', before: one!, after: other!, nameOf: () => 'the seller' }),
    ...changesBetween({
      kind: 'billing',
      before: before.buyers,
      after: after.buyers,
      nameOf: ({ advertiser }) => advertiser,
      except: ['advertiser'],
    }),
  ];
}

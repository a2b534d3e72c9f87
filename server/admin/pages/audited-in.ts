import type { Context } from 'koa';
import type { AuditedAction } from '../../audit/change-audited.js';
import type { AdminState } from '../session/require-session.js';
import type { PageOptions } from './page-options.js';

/** Returns an action in the dashboard for the audit log, with its operator, session and address. */
export function auditedIn(
  { state, ip }: { readonly state: AdminState } & Pick<Context, 'ip'>,
  { config, cluster, clock }: Pick<PageOptions, 'config' | 'cluster' | 'clock'>,
  action: string,
): AuditedAction {
  const { operator, session } = state;
  const by = { via: 'dashboard', user: operator.name, session: session.id, address: ip } as const;
  return { dataDir: config.dataDir, cluster, by, action, now: clock() };
}

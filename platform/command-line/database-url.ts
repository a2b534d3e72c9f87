import { SettingError } from './settings.js';

/** Those of the driver. It treats `prefer`, `require` and `verify-ca` as `verify-full`. */
const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Checks the URL of a database. @throws SettingError, without the password that the URL may contain */
export function databaseUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (hostsOf(text).includes(',') || url?.searchParams.get('host')?.includes(',')) {
    throw new SettingError(
      'names several hosts; it must have one, a name or an address that follows the primary (OPERATIONS: Failover)',
    );
  }
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.host === '' || url.pathname.length < 2) {
    throw new SettingError(
      'must be an address such as postgres://user:password@host:5432/name; the host may be [::1], or the folder of a ' +
        'socket written as %2Frun%2Fpostgresql',
    );
  }
  // A / ? or # in the password ends the host early. The rest of the password would be the database's name, which errors
  // show, and an @ follows it.
  const afterHost = url.pathname + url.search + url.hash;
  if (afterHost.includes('@') || url.pathname.lastIndexOf('/') > 0) {
    throw new SettingError(
      'must have one name after the host, and / ? # @ in user, password and parameters written as %2F %3F %23 %40',
    );
  }
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    throw new SettingError(`has an unknown sslmode; it must be one of ${SSL_MODES.join(', ')}`);
  }
  return text;
}

/** Returns the hosts and ports of a URL, also if they are not valid. */
function hostsOf(text: string): string {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}

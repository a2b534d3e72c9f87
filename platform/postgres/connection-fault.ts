const UNKNOWN_AUTHORITY: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/**
 * Says why a database cannot be reached and, where the driver's own message does not tell, what is missing in its URL.
 * An address that refuses connections on several interfaces gives an error with only a code.
 */
export function connectionFault(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (UNKNOWN_AUTHORITY.has(code)) {
    return `${message}; if its certificate has an authority of your own, add sslrootcert=FILE to the URL's parameters`;
  }
  if (message.includes('client password must be a string')) return 'it asks for a password, and the URL has none';
  return message || code || String(error);
}

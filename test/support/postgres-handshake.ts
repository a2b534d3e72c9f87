/** PostgreSQL's messages AuthenticationOk and ReadyForQuery. */
export const HANDSHAKE = Buffer.from('5200000008000000005a0000000549', 'hex');

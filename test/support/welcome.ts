/** As PostgreSQL says that anybody may come in, and that it is ready. */
export const WELCOME = Buffer.from('5200000008000000005a0000000549', 'hex');

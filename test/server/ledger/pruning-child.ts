import { createLedger } from '../../../server/ledger/server-ledger.js';

// A server of a ledger in PostgreSQL that deletes old events and counts nothing. Prints a line once it is open.
const [url = ''] = process.argv.slice(2);
await createLedger({ database: { url }, currency: 'USD', timeZone: 'UTC', keepEventsDays: 31 });
console.log('open');
// The ledger alone keeps no process alive.
setInterval(() => {}, 1000);

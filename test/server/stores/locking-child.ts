import { lockDataDirectory } from '../../../server/stores/server-lock.js';

/** Takes the lock of the data directory in its argument, reports that, and holds the lock until it is killed. */
await lockDataDirectory({ dataDir: process.argv[2]!, waitMs: 0, onWait: () => undefined });
console.log('locked');
setInterval(() => undefined, 60_000);

import { createLedger } from '../../../server/ledger/server-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

// One of several servers that count clicks of one campaign: three quarters of its clicks are its own, and every fourth
// is sent to the other servers too. Prints the number of each click that the ledger reports as counted.
const [url = '', node = '', clicks = '', price = '', budget = ''] = process.argv.slice(2);
const at = Date.UTC(2026, 9, 21, 12);
const claims = testClaims({
  publisher: `publisher ${Number(node) % 2}`,
  pricing: { model: 'cpc', micros: Number(price) },
  limits: { totalMicros: Number(budget), dailyMicros: null },
  issuedAt: at,
});
const ledger = await createLedger({ database: { url }, currency: 'USD', timeZone: 'UTC' });

async function click(turn: number): Promise<void> {
  const number = turn % 4 === 0 ? turn : 1_000_000 * (1 + Number(node)) + turn;
  for (;;) {
    try {
      const outcome = await ledger.record({ kind: 'click', id: testDigest(number), claims, at });
      if (outcome.counted) console.log(number);
      return;
    } catch {
      // Sends the beacon again, as a client does.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const lanes = 40;
await Promise.all(
  Array.from({ length: lanes }, async (_, lane) => {
    for (let turn = lane; turn < Number(clicks); turn += lanes) await click(turn);
  }),
);
await ledger.close();

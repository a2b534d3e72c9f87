import { commandActor } from '../../../models/audit/actor.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import type { Command, Output } from '../../../platform/command-line/run-command.js';
import { billingStore, type BillingFile } from '../../invoice/billing/billing-file.js';
import { changeBilling } from '../../invoice/billing/change-billing.js';
import { setBuyer, setSeller, unsetBuyer, unsetSeller } from '../../invoice/billing/set-billing.js';
import { requireKnown } from '../shared/known-names.js';
import { type BillingArguments, readArguments } from './arguments.js';
import { billingTable } from './table.js';

const usage = `Usage: npm run billing -- seller [options]
       npm run billing -- advertiser NAME [options]
       npm run billing -- unset NAME | --seller
       npm run billing -- list [--json]

Sets what invoices say besides amounts: who sells, and who buys. A closed invoice keeps what was set when its month was
closed; open months show what is set now.

  --name NAME          the name in law (default: an advertiser's name)
  --address LINE       a line of the address; repeat it for each line
  --tax-number TEXT    with what it is, such as "VAT ID DE123456789"
  --tax-rate PERCENT   tax on the rounded total, such as 19 or 8.875; an advertiser's own replaces the seller's, such as 0
  --note LINE          text at the end of the invoice, such as why no tax is charged; repeatable
  --tax-name NAME      the seller's alone: what the tax is called, such as VAT (default: Tax)
  --payment LINE       the seller's alone: how to pay, such as an account; repeatable
  --due-days DAYS      the seller's alone: days from closing a month to the day on which its invoice is due
  --seller             unset the seller instead of an advertiser
  --json               list as one JSON object
  --data-dir DIR       where the installation is (default: the DATA_DIR setting, ./data)

Options not given stay unchanged; "" removes what was set.

Example: npm run billing -- advertiser "Acme" --name "Acme Ltd" --address "1 High Street" --address "Leeds LS1 1AA"
Settings: DATA_DIR, DATABASE_URL
`;

/** The `npm run billing` command. */
export const billing: Command = {
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    await withInstallation(wanted.config, (cluster) => perform(wanted, cluster, output));
  },
};

async function perform(wanted: BillingArguments, cluster: Cluster | null, output: Output): Promise<void> {
  const { config } = wanted;
  const store = billingStore(config.dataDir, cluster);
  const action = `billing ${wanted.name}`;
  const audited = { dataDir: config.dataDir, cluster, by: commandActor(), action, now: Date.now() };
  const change = <R>(what: (file: BillingFile) => R): Promise<R> => changeBilling(store, audited, what);
  const show = (file: BillingFile): void => output.out(`${billingTable(file)}\n`);
  switch (wanted.name) {
    case 'seller':
      return show({ version: 1, seller: await change((file) => setSeller(file, wanted.change)), buyers: [] });
    case 'advertiser':
      await requireKnown('advertiser', wanted.advertiser, config);
      return show({ version: 1, buyers: [await change((file) => setBuyer(file, wanted.advertiser, wanted.change))] });
    case 'unset': {
      const { advertiser } = wanted;
      await change((file) => (advertiser === null ? unsetSeller(file) : unsetBuyer(file, advertiser)));
      return output.out(`${advertiser ?? 'the seller'} has no billing details any more\n`);
    }
    case 'list': {
      const file = await store.read();
      return wanted.json ? output.out(`${JSON.stringify(file, null, 2)}\n`) : show(file);
    }
  }
}

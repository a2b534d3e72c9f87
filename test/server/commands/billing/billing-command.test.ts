import { expect } from 'chai';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readAudit } from '../../../../models/audit/read-audit.js';
import { billing as command } from '../../../../server/commands/billing/command.js';
import { COMMAND_STORES, commandStore } from '../command-store.js';
import { testCreative, publishTestSnapshot } from '../../../support/test-snapshot.js';

const SELLER = ['seller', '--name', 'Nordlicht', '--address', 'Hafenstr. 1', '--address', ' 20459 Hamburg '];

for (const where of COMMAND_STORES) {
  describe(`npm run billing, with ${where}`, () => {
    const store = commandStore(where);
    const billing = (...args: string[]) => store.run(command, args);
    const listed = async () => JSON.parse((await billing('list', '--json')).out) as Record<string, unknown>;

    it('sets who sells, shows it, and records who did', async () => {
      expect((await billing('list')).out).to.match(/^no billing details; npm run billing -- seller /);
      const all = ['--tax-number', 'VAT ID 1', '--tax-name', 'VAT', '--tax-rate', '8.875', '--due-days', '30'];
      const { code, out } = await billing(...SELLER, ...all, '--payment', 'IBAN 1', '--note', 'one', '--note', 'two');
      expect(code).to.equal(0);
      for (const text of ['Nordlicht', '20459 Hamburg', 'VAT 8.875 %', 'due after 30 days', 'IBAN 1', 'two'])
        expect(out).to.include(text);
      expect(await listed()).to.deep.equal({
        version: 1,
        buyers: [],
        seller: {
          name: 'Nordlicht',
          address: ['Hafenstr. 1', '20459 Hamburg'],
          taxNumber: 'VAT ID 1',
          taxName: 'VAT',
          taxRate: '8.875',
          dueDays: 30,
          payment: ['IBAN 1'],
          note: ['one', 'two'],
        },
      });
      expect(statSync(join(store.dataDir, 'billing.json')).mode & 0o777).to.equal(0o600);
      const { entries } = await readAudit(store.dataDir);
      expect(entries[0]).to.deep.include({
        action: 'billing seller',
        subject: { kind: 'billing', name: 'the seller' },
      });
      expect(entries[0]?.fields).to.deep.include({ payment: { old: null, new: ['IBAN 1'] } });
    });

    it('changes only the options given, and removes what is set to nothing', async () => {
      await billing(...SELLER, '--tax-rate', '19', '--due-days', '14', '--note', 'one');
      await billing('seller', '--tax-rate', '20', '--note', '', '--due-days', '');
      expect(await listed()).to.have.deep.property('seller', {
        name: 'Nordlicht',
        address: ['Hafenstr. 1', '20459 Hamburg'],
        taxRate: '20',
      });
      expect(await billing('seller', '--address', '')).to.deep.include({
        code: 1,
        err: 'the seller needs --address\n',
      });
      await billing('unset', '--seller');
      expect(await listed()).to.deep.equal({ version: 1, buyers: [] });
      expect((await billing('unset', '--seller')).err).to.equal('no seller is set\n');
    });

    it('refuses what no invoice should say, and names the option', async () => {
      const faults: readonly [string[], RegExp][] = [
        [['seller', '--name', 'Nordlicht'], /^the seller needs --address\n/],
        [['seller'], /^nothing to set\n/],
        [[...SELLER, '--tax-rate', '19 %'], /^--tax-rate must be a percentage below 100, such as 19 or 8.875\n/],
        [[...SELLER, '--tax-rate', '100'], /^--tax-rate must be a percentage below 100/],
        [
          [...SELLER, '--due-days', '-1'],
          /^(--due-days must be from 0 to 365|Option '--due-days' argument is ambiguous)/,
        ],
        [[...SELLER, '--due-days', '366'], /^--due-days must be from 0 to 365\n/],
        [[...SELLER, '--note', 'a\nb'], /^--note must be a line of at most 200 characters\n/],
        [[...SELLER, '--tax-number', 'x'.repeat(201)], /^--tax-number must be a line of at most 200 characters\n/],
        [['advertiser', '--name', 'A'], /^the advertiser is missing\n/],
        [['advertiser', 'Acme', '--payment', 'IBAN'], /^Unknown option '--payment'/],
        [['unset', 'Acme', '--seller'], /^--seller takes no advertiser\n/],
        [['set'], /^set is not a command\n/],
      ];
      for (const [args, fault] of faults) {
        const { code, out, err } = await billing(...args);
        expect(err).to.match(fault);
        expect([code, out], err).to.deep.equal([err.includes('needs') ? 1 : 2, '']);
      }
      expect(await listed()).to.deep.equal({ version: 1, buyers: [] });
    });

    if (where === 'a file')
      it('sets and unsets an advertiser’s details, by a name that is known', async () => {
        await publishTestSnapshot(store.dataDir, [testCreative('a', { advertiser: 'Acme' })]);
        const set = await billing('advertiser', 'Acme', '--address', '1 High Street', '--tax-rate', '0', '--note', 'x');
        expect(set.out).to.include('Acme').and.include('tax 0 %');
        const buyer = { advertiser: 'Acme', name: 'Acme', address: ['1 High Street'], taxRate: '0', note: ['x'] };
        expect(await listed()).to.deep.equal({ version: 1, buyers: [buyer] });
        await billing('advertiser', 'Acme', '--name', 'Acme Ltd', '--tax-rate', '');
        expect(await listed()).to.have.nested.property('buyers[0].name', 'Acme Ltd');
        expect(await listed()).to.not.have.nested.property('buyers[0].taxRate');
        await billing('advertiser', 'Acme', '--name', '');
        expect(await listed()).to.have.nested.property('buyers[0].name', 'Acme');
        expect(await billing('advertiser', 'Akme', '--address', 'x')).to.deep.include({
          code: 1,
          err: 'there is no advertiser "Akme"; near it: "Acme"\n',
        });
        expect((await billing('unset', 'Akme')).err).to.equal('"Akme" has no billing details; near it: "Acme"\n');
        await billing('unset', 'Acme');
        expect(await listed()).to.deep.equal({ version: 1, buyers: [] });
        const told = (await readAudit(store.dataDir)).entries.map(({ action, subject }) => [action, subject.name]);
        expect(told).to.deep.equal([
          ['billing unset', 'Acme'],
          ['billing advertiser', 'Acme'],
          ['billing advertiser', 'Acme'],
          ['billing advertiser', 'Acme'],
        ]);
      });
  });
}

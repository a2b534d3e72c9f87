import { expect } from 'chai';
import fc from 'fast-check';
import { type Client, FairQueue } from '../../../server/decide/fair-queue.js';

describe('a fair queue', () => {
  const queueOf = (...clients: readonly string[]): FairQueue<string> => {
    const queue = new FairQueue<string>();
    for (const [place, client] of clients.entries()) queue.push(clientOf(client), `${client}${place}`);
    return queue;
  };
  /** `a1` is key a, used from network 1, which is a site of its own; networks 6 to 9 are one site. */
  const clientOf = ([key = '', network = '']: string): Client => ({
    key,
    site: network > '5' ? 'site' : network,
    network,
  });
  const rest = (queue: FairQueue<string>): string[] =>
    Array.from({ length: queue.size }, () => queue.shift()!.slice(0, 2));

  it('serves keys in turn, and networks within a key', () => {
    expect(rest(queueOf('a1', 'a1', 'a1', 'a2', 'b1', 'b1'))).to.deep.equal(['a1', 'b1', 'a2', 'b1', 'a1', 'a1']);
  });

  it('serves sites in turn within a key, and networks within a site', () => {
    const order = ['a6', 'a1', 'a7', 'a1', 'a8', 'a6'];
    expect(rest(queueOf('a6', 'a7', 'a8', 'a6', 'a1', 'a1'))).to.deep.equal(order);
  });

  it('displaces an item of the largest site for a client with fewer, however many networks the site has', () => {
    expect(queueOf('a6', 'a7', 'a8', 'a9').findDisplaceable(clientOf('a1'))?.client).to.include({ site: 'site' });
    expect(queueOf('a6', 'a7', 'a8', 'a9', 'a1').findDisplaceable(clientOf('a6'))).to.equal(undefined);
  });

  it('keeps the order of a client’s items', () => {
    const queue = queueOf('a1', 'a1', 'a1');
    expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).to.deep.equal([
      'a10',
      'a11',
      'a12',
      undefined,
    ]);
  });

  it('displaces the newest item of the largest client for a client with fewer', () => {
    expect(queueOf('a1', 'a1', 'a2', 'b1').findDisplaceable(clientOf('c1'))?.item).to.equal('a11');
    expect(queueOf('a1', 'a1', 'a1').findDisplaceable(clientOf('a2'))?.item).to.equal('a12');
    expect(queueOf('a1', 'a1', 'a1').findDisplaceable(clientOf('a1'))).to.equal(undefined);
    expect(queueOf('a1', 'b1').findDisplaceable(clientOf('c1'))).to.equal(undefined);
    expect(queueOf().findDisplaceable(clientOf('c1'))).to.equal(undefined);
  });

  it('returns every item once, whatever is removed in between', () => {
    const actions = fc.array(
      fc.tuple(
        fc.constantFrom('push', 'push', 'shift', 'remove', 'displace'),
        fc.constantFrom('a1', 'a2', 'a6', 'a7', 'b1', 'b8', 'c3'),
      ),
    );
    fc.assert(
      fc.property(actions, (taken) => {
        const queue = new FairQueue<string>();
        const inside = new Map<string, Client>();
        for (const [place, [action, name]] of taken.entries()) {
          const client = clientOf(name);
          if (action === 'push') {
            queue.push(client, `${name}-${place}`);
            inside.set(`${name}-${place}`, client);
          } else if (action === 'shift') {
            const item = queue.shift();
            expect(item === undefined ? inside.size === 0 : inside.delete(item)).to.equal(true);
          } else {
            const found = action === 'displace' ? queue.findDisplaceable(client) : undefined;
            const [item, owner] = found === undefined ? ([...inside][0] ?? []) : [found.item, found.client];
            if (item === undefined || owner === undefined) continue;
            expect(queue.remove(owner, item)).to.equal(true);
            expect(queue.remove(owner, item)).to.equal(false);
            expect(inside.delete(item)).to.equal(true);
          }
          expect(queue.size).to.equal(inside.size);
        }
      }),
    );
  });
});

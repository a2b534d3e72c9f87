/** Who waits: a publisher's key, and the network of one caller among those that use it. */
export interface Caller {
  readonly key: string;
  readonly network: string;
}

/**
 * A queue in which keys take turns, and within a key its callers' networks: whoever sends much waits behind itself. Of a
 * caller's own, the first come is first.
 */
export class FairQueue<T> {
  /** Keys, and below them networks, in the order of their turns; none of them is empty. */
  readonly #keys = new Map<string, Map<string, T[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push({ key, network }: Caller, item: T): void {
    const networks = this.#keys.get(key) ?? new Map<string, T[]>();
    const items = networks.get(network) ?? [];
    items.push(item);
    networks.set(network, items);
    this.#keys.set(key, networks);
    this.#size++;
  }

  /** Takes whose turn it is; key and network then come last. Undefined: nobody waits. */
  shift(): T | undefined {
    const [first] = this.#keys;
    if (first === undefined) return undefined;
    const [key, networks] = first;
    const [network, items] = networks.entries().next().value!;
    const item = items.shift();
    networks.delete(network);
    if (items.length > 0) networks.set(network, items);
    this.#keys.delete(key);
    if (networks.size > 0) this.#keys.set(key, networks);
    this.#size--;
    return item;
  }

  /** @returns whether it was there */
  remove({ key, network }: Caller, item: T): boolean {
    const networks = this.#keys.get(key);
    const items = networks?.get(network);
    const at = items?.indexOf(item) ?? -1;
    if (networks === undefined || items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) networks.delete(network);
    if (networks.size === 0) this.#keys.delete(key);
    this.#size--;
    return true;
  }

  /**
   * Who gives way where a caller wants a place and there is none: the newest of the network with most waiting, of the key
   * with most waiting. Undefined: the caller has its share already. Takes nothing out.
   */
  most(caller: Caller): { readonly of: Caller; readonly item: T } | undefined {
    const own = this.#keys.get(caller.key);
    const key = largest(this.#keys, countOf);
    if (key !== undefined && key.size > countOf(own) + 1) return newestOf(key.name, key.value);
    if (own === undefined) return undefined;
    const most = newestOf(caller.key, own);
    return own.get(most.of.network)!.length > (own.get(caller.network)?.length ?? 0) + 1 ? most : undefined;
  }
}

/** The newest of the network with most waiting. */
function newestOf<T>(key: string, networks: ReadonlyMap<string, T[]>) {
  const { name: network, value: items } = largest(networks, ({ length }) => length)!;
  return { of: { key, network }, item: items.at(-1)! };
}

function countOf(networks: Map<string, readonly unknown[]> | undefined): number {
  let count = 0;
  for (const { length } of networks?.values() ?? []) count += length;
  return count;
}

/** The first of those with the largest size; undefined: the map is empty. */
function largest<V>(map: ReadonlyMap<string, V>, sizeOf: (value: V) => number) {
  let found: { readonly name: string; readonly value: V; readonly size: number } | undefined;
  for (const [name, value] of map) {
    const size = sizeOf(value);
    if (found === undefined || size > found.size) found = { name, value, size };
  }
  return found;
}

import type { ClientNetwork } from '../domain/network.js';

/** Identifies the client that sent a request: a publisher's key, and the site and network that use it. */
export interface Client extends ClientNetwork {
  readonly key: string;
}

/** The queued items of a key, a site or a network. Branches below it are in turn order, and none is empty. */
interface Branch<T> {
  readonly below: Map<string, Branch<T>>;
  /** A network's own items, oldest first; empty at the levels above. */
  readonly items: T[];
  size: number;
}

/**
 * A fair queue: keys take turns, then the sites within a key, then the networks within a site. A heavy sender only
 * delays its own requests, even one that sends from 65,536 networks. Items from one client are first in, first out.
 */
export class FairQueue<T> {
  readonly #all: Branch<T> = empty();

  get size(): number {
    return this.#all.size;
  }

  push(client: Client, item: T): void {
    let branch = this.#all;
    branch.size++;
    for (const name of namesOf(client)) {
      const next = branch.below.get(name) ?? empty<T>();
      branch.below.set(name, next);
      branch = next;
      branch.size++;
    }
    branch.items.push(item);
  }

  /**
   * Removes and returns the next item; its key, site and network then go to the back. Undefined: the queue is empty.
   */
  shift(): T | undefined {
    return this.size === 0 ? undefined : takeFirst(this.#all);
  }

  /** Removes an item. @returns whether it was queued */
  remove(client: Client, item: T): boolean {
    return takeOut(this.#all, namesOf(client), item);
  }

  /**
   * Finds the item to drop when the queue is full and a client wants a place: the newest item of the largest network,
   * in the largest site, of the largest key. A key, site or network gives way only when it has at least two items more
   * than the client's own. Undefined: the client already has its share. Removes nothing.
   */
  findDisplaceable(client: Client): { readonly client: Client; readonly item: T } | undefined {
    let branch: Branch<T> | undefined = this.#all;
    const path: string[] = [];
    for (const name of namesOf(client)) {
      const own: Branch<T> | undefined = branch.below.get(name);
      const [most, value] = largest(branch);
      if (value !== undefined && value.size > (own?.size ?? 0) + 1) return newestOf([...path, most], value);
      if (own === undefined) return undefined;
      path.push(name);
      branch = own;
    }
    return undefined;
  }
}

function empty<T>(): Branch<T> {
  return { below: new Map(), items: [], size: 0 };
}

function namesOf({ key, site, network }: Client): readonly [key: string, site: string, network: string] {
  return [key, site, network];
}

function takeFirst<T>(branch: Branch<T>): T {
  branch.size--;
  const [first] = branch.below;
  if (first === undefined) return branch.items.shift()!;
  const [name, next] = first;
  const item = takeFirst(next);
  branch.below.delete(name);
  if (next.size > 0) branch.below.set(name, next);
  return item;
}

function takeOut<T>(branch: Branch<T>, [name, ...rest]: readonly string[], item: T): boolean {
  if (name === undefined) {
    const at = branch.items.indexOf(item);
    if (at < 0) return false;
    branch.items.splice(at, 1);
  } else {
    const next = branch.below.get(name);
    if (next === undefined || !takeOut(next, rest, item)) return false;
    if (next.size === 0) branch.below.delete(name);
  }
  branch.size--;
  return true;
}

/** Returns the newest item of the network with most items, within the site with most. */
function newestOf<T>(path: readonly string[], branch: Branch<T>): { readonly client: Client; readonly item: T } {
  const [name, value] = largest(branch);
  if (value !== undefined) return newestOf([...path, name], value);
  const [key = '', site = '', network = ''] = path;
  return { client: { key, site, network }, item: branch.items.at(-1)! };
}

/** Returns the branch with most items, the first in turn order among equals; undefined: there is no branch below. */
function largest<T>({ below }: Branch<T>): readonly [name: string, value: Branch<T> | undefined] {
  let [found, most]: [string, Branch<T> | undefined] = ['', undefined];
  for (const [name, value] of below) if (value.size > (most?.size ?? 0)) [found, most] = [name, value];
  return [found, most];
}

import type { CallerNetwork } from '../domain/network.js';

/** Who waits: a publisher's key, and one caller among those that use it. */
export interface Caller extends CallerNetwork {
  readonly key: string;
}

/** What waits below a key, a site or a network, in the order of turns; none of them is empty. */
interface Branch<T> {
  readonly below: Map<string, Branch<T>>;
  /** Of a network: what it waits with, the first come first. */
  readonly items: T[];
  size: number;
}

/**
 * A queue in which keys take turns, within a key the sites of its callers, and within a site its networks: whoever sends much waits
 * behind itself, also who has 65,536 networks to send from. Of a caller's own, the first come is first.
 */
export class FairQueue<T> {
  readonly #all: Branch<T> = empty();

  get size(): number {
    return this.#all.size;
  }

  push(caller: Caller, item: T): void {
    let branch = this.#all;
    branch.size++;
    for (const name of namesOf(caller)) {
      const next = branch.below.get(name) ?? empty<T>();
      branch.below.set(name, next);
      branch = next;
      branch.size++;
    }
    branch.items.push(item);
  }

  /** Takes whose turn it is; key, site and network then come last. Undefined: nobody waits. */
  shift(): T | undefined {
    return this.size === 0 ? undefined : takeFirst(this.#all);
  }

  /** @returns whether it was there */
  remove(caller: Caller, item: T): boolean {
    return takeOut(this.#all, namesOf(caller), item);
  }

  /**
   * Who gives way where a caller wants a place and there is none: the newest of the network with most waiting, of the site with
   * most waiting, of the key with most waiting. Undefined: the caller has its share already. Takes nothing out.
   */
  most(caller: Caller): { readonly of: Caller; readonly item: T } | undefined {
    let branch: Branch<T> | undefined = this.#all;
    const path: string[] = [];
    for (const name of namesOf(caller)) {
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

function namesOf({ key, site, network }: Caller): readonly [key: string, site: string, network: string] {
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

/** The newest of the network with most waiting, of the site with most. */
function newestOf<T>(path: readonly string[], branch: Branch<T>): { readonly of: Caller; readonly item: T } {
  const [name, value] = largest(branch);
  if (value !== undefined) return newestOf([...path, name], value);
  const [key = '', site = '', network = ''] = path;
  return { of: { key, site, network }, item: branch.items.at(-1)! };
}

/** The first of those with most waiting; nothing: there is none below. */
function largest<T>({ below }: Branch<T>): readonly [name: string, value: Branch<T> | undefined] {
  let [found, most]: [string, Branch<T> | undefined] = ['', undefined];
  for (const [name, value] of below) if (value.size > (most?.size ?? 0)) [found, most] = [name, value];
  return [found, most];
}

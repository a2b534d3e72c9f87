import { isDeepStrictEqual } from 'node:util';
import type { FieldChange, Subject } from './audit-log.js';

/** What a change does to one thing. */
export interface SubjectChange {
  readonly subject: Subject;
  readonly fields: Readonly<Record<string, FieldChange>>;
}

/** One thing's fields; a field that is not there is none. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * What differs between two lists of things that bear names: added, changed and removed ones.
 *
 * @param nameOf what tells two apart
 * @param feedOf what holds where a field is not set, by name; absent: nothing
 */
export function changesBetween<T extends object>(
  kind: Subject['kind'],
  before: readonly T[],
  after: readonly T[],
  nameOf: (thing: T) => string,
  feedOf: (name: string) => Fields | undefined = () => undefined,
): SubjectChange[] {
  const [old, current] = [before, after].map((list) => new Map(list.map((thing) => [nameOf(thing), thing as Fields])));
  const names = [...new Set([...old!.keys(), ...current!.keys()])];
  return names.flatMap((name) => {
    const fields = fieldChanges(old!.get(name) ?? {}, current!.get(name) ?? {}, feedOf(name));
    return Object.keys(fields).length === 0 ? [] : [{ subject: { kind, name }, fields }];
  });
}

function fieldChanges(before: Fields, after: Fields, feed: Fields | undefined): Record<string, FieldChange> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, fieldChange(before[name], after[name], feed, name)]));
}

function fieldChange(before: unknown, after: unknown, feed: Fields | undefined, name: string): FieldChange {
  const change = { old: before ?? null, new: after ?? null };
  if (feed === undefined || !Object.hasOwn(feed, name)) return change;
  if (before === undefined) return { ...change, old: feed[name], feed: 'old' };
  return after === undefined ? { ...change, new: feed[name], feed: 'new' } : change;
}

import { isDeepStrictEqual } from 'node:util';
import type { FieldChange, Subject } from './audit-log.js';

/** What a change does to one thing. */
export interface SubjectChange {
  readonly subject: Subject;
  readonly fields: Readonly<Record<string, FieldChange>>;
}

export interface ChangesOptions<T> {
  readonly kind: Subject['kind'];
  readonly before: readonly T[];
  readonly after: readonly T[];
  /** Tells two things apart. */
  readonly nameOf: (thing: T) => string;
  /** Fields that say nothing, or nothing that may be told. */
  readonly except?: readonly string[];
  /** What holds where a field is not set, by name; asked of what has changed. Absent: nothing. */
  readonly feedOf?: (name: string) => Fields | undefined;
}

/** One thing's fields; a field that is not there is none. */
type Fields = Readonly<Record<string, unknown>>;

/** What differs between two lists of things that bear names: added, changed and removed ones. */
export function changesBetween<T extends object>(options: ChangesOptions<T>): SubjectChange[] {
  const { kind, before, after, nameOf, except = [], feedOf } = options;
  const [old, current] = [before, after].map((list) => new Map(list.map((thing) => [nameOf(thing), thing as Fields])));
  const names = [...new Set([...old!.keys(), ...current!.keys()])];
  return names.flatMap((name) => {
    const [one, other] = [old!.get(name) ?? {}, current!.get(name) ?? {}];
    const told = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((field) => !except.includes(field));
    const changed = told.filter((field) => !isDeepStrictEqual(one[field], other[field]));
    if (changed.length === 0) return [];
    const feed = feedOf?.(name);
    const fields = changed.map((field) => [field, fieldChange(one[field], other[field], feed, field)] as const);
    return [{ subject: { kind, name }, fields: Object.fromEntries(fields) }];
  });
}

function fieldChange(before: unknown, after: unknown, feed: Fields | undefined, field: string): FieldChange {
  const change = { old: before ?? null, new: after ?? null };
  if (feed === undefined || !Object.hasOwn(feed, field)) return change;
  if (before === undefined) return { ...change, old: feed[field], feed: 'old' };
  return after === undefined ? { ...change, new: feed[field], feed: 'new' } : change;
}

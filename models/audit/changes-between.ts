import { isDeepStrictEqual } from 'node:util';
import type { FieldChange, Subject } from './audit-log.js';

/** The changed fields of one thing. */
export interface SubjectChange {
  readonly subject: Subject;
  readonly fields: Readonly<Record<string, FieldChange>>;
}

export interface ChangesOptions<T> {
  readonly kind: Subject['kind'];
  readonly before: readonly T[];
  readonly after: readonly T[];
  /** Identifies a thing. */
  readonly nameOf: (thing: T) => string;
  /** Fields that are not worth recording, or must not be. */
  readonly except?: readonly string[];
  /**
   * Returns the values in force, by a thing's name, where a field is not set. Called only for changed things. Absent:
   * none are.
   */
  readonly feedOf?: (name: string) => Fields | undefined;
}

/** One thing's fields; an absent field is not set. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns the differences between two lists of named things: those added, changed and removed. */
export function changesBetween<T extends object>(options: ChangesOptions<T>): SubjectChange[] {
  const { kind, before, after, nameOf, except = [], feedOf } = options;
  const [old, current] = [before, after].map((list) => new Map(list.map((thing) => [nameOf(thing), thing as Fields])));
  const names = [...new Set([...old!.keys(), ...current!.keys()])];
  return names.flatMap((name) => {
    const [one, other] = [old!.get(name) ?? {}, current!.get(name) ?? {}];
    const compared = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
      (field) => !except.includes(field),
    );
    const changed = compared.filter((field) => !isDeepStrictEqual(one[field], other[field]));
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

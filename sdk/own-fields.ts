/** Returns a copy with the value's own fields only: fields that a page has set on Object.prototype are not options. */
export function ownFields<T extends object>(value: T | null | undefined): Partial<T> {
  const bare: object = { __proto__: null, ...value };
  return bare;
}

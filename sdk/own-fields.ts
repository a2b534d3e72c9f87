/** A copy with the value's own fields alone: what a page has put on Object.prototype is not an option anybody chose. */
export function ownFields<T extends object>(value: T | null | undefined): Partial<T> {
  const bare: object = { __proto__: null, ...value };
  return bare;
}

/**
 * Returns a copy of plain objects in which all typed arrays are in shared memory, so that another thread receives them
 * without copying. Moving their memory would be as fast, but the receiving thread would then collect garbage, since
 * V8 counts memory that is not shared.
 */
export function shareArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return shared(value as unknown as TypedArray) as unknown as T;
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, shareArrays(each)])) as T;
}

type TypedArray = Uint8Array | Uint16Array | Uint32Array;

function shared(array: TypedArray): TypedArray {
  const Kind = array.constructor as new (memory: SharedArrayBuffer) => TypedArray;
  const copy = new Kind(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

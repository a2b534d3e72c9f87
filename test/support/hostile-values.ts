import fc from 'fast-check';

/** Any text: of characters, of code units (including lone surrogates), and of values that often break parsers. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))).map((units) => units.join('')),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ufeff',
    '\ud83d',
    '__proto__',
    'constructor',
    '2026-02-30',
    '9999-12-31',
    '1e309',
    '-0',
  ),
  fc.stringMatching(/^["'{}[\],:\\\r\n\t 0-9a-f.-]{0,60}$/),
);

/** Any JSON value, including deep and odd ones. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, 0, false, '', [], {}, 1e308, 2 ** 53),
);

/** Returns the bytes of a file that was truncated, overwritten or mixed up. */
export function damaged(good: Buffer): fc.Arbitrary<Buffer> {
  const place = fc.nat({ max: good.length });
  return fc.oneof(
    place.map((at) => good.subarray(0, at)),
    fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([at, bytes]) => {
      const changed = Buffer.from(good);
      changed.set(bytes.subarray(0, good.length - at), at);
      return changed;
    }),
    fc
      .tuple(place, anyText)
      .map(([at, text]) => Buffer.concat([good.subarray(0, at), Buffer.from(text), good.subarray(at)])),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  );
}

/** Returns a JSON object in which one value, at any depth, is replaced or deleted. */
export function altered(good: object): fc.Arbitrary<unknown> {
  const places = placesIn(good, []);
  return fc.tuple(fc.constantFrom(...places), anyJson, fc.boolean()).map(([place, value, gone]) => {
    const changed = structuredClone(good) as Record<string, unknown>;
    let holder = changed;
    for (const step of place.slice(0, -1)) holder = holder[step] as Record<string, unknown>;
    if (gone) delete holder[place.at(-1)!];
    else holder[place.at(-1)!] = value;
    return changed;
  });
}

function placesIn(value: unknown, path: readonly string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...placesIn(inner, [...path, name])]);
}

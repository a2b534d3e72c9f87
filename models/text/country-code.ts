/** Two letters, so there are few. Intl takes microseconds for each, and a feed may have millions. */
const known = new Map<string, string | null>();
let names: Intl.DisplayNames | undefined;

/**
 * Converts an ISO 3166-1 code of two letters to canonical form: `gb` and `UK` to `GB`.
 *
 * @returns null if Intl knows no country by that code
 */
export function canonicalCountry(code: string): string | null {
  if (!/^[a-z]{2}$/i.test(code)) return null;
  const before = known.get(code);
  if (before !== undefined) return before;
  const country = readCountry(code);
  known.set(code, country);
  return country;
}

function readCountry(code: string): string | null {
  const { region } = new Intl.Locale('und', { region: code });
  // Made when first needed, since Intl takes some milliseconds to load the names.
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  return region === undefined || NOT_COUNTRIES.has(region) || names.of(region) === undefined ? null : region;
}

/** Unknown Region, the EU, the eurozone, the United Nations, Outlying Oceania, and two that programmers test with. */
const NOT_COUNTRIES: ReadonlySet<string> = new Set(['ZZ', 'EU', 'EZ', 'UN', 'QO', 'XA', 'XB']);

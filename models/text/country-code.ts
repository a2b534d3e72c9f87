let names: Intl.DisplayNames | undefined;

/**
 * Converts an ISO 3166-1 code of two letters to canonical form: `gb` and `UK` to `GB`.
 *
 * @returns null if Intl knows no country by that code
 */
export function canonicalCountry(code: string): string | null {
  if (!/^[a-z]{2}$/i.test(code)) return null;
  const { region } = new Intl.Locale('und', { region: code });
  // Made when first needed, since Intl takes some milliseconds to load the names.
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  return region === undefined || NOT_COUNTRIES.has(region) || names.of(region) === undefined ? null : region;
}

/** Unknown Region, the European Union, the eurozone and the United Nations. */
const NOT_COUNTRIES: ReadonlySet<string> = new Set(['ZZ', 'EU', 'EZ', 'UN']);

/**
 * What is embedded of a creative: its name and copy, read as two sentences. Categories and advertiser stay out
 * (measured; see models/README.md).
 */
export function creativeText(creative: { readonly name: string; readonly text: string | null }): string {
  return creative.text ? `${creative.name}. ${creative.text}` : creative.name;
}

/** Orders names as people do: `Chat 9` before `Chat 10`, and `ägypten` next to `Agentur`. */
export const { compare: compareNames } = new Intl.Collator('en', { numeric: true });

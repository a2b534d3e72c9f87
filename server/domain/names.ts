import { distance } from 'fastest-levenshtein';
import { printable } from '../../platform/text/printable.js';

/** Returns a hint for an unknown name: known names near it, else a few of the known ones. */
export function suggestNames(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'none is known yet';
  const near = similarNames(name, known);
  const quoted = (near.length > 0 ? near : known.toSorted().slice(0, FEW)).map((each) => `"${printable(each, 80)}"`);
  if (near.length > 0) return `near it: ${quoted.join(', ')}`;
  const more = known.length - quoted.length;
  return `known: ${quoted.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}

const FEW = 5;

/** Returns the known names that may have been meant by `name`, nearest first; at most five. */
export function similarNames(name: string, known: readonly string[]): string[] {
  const wanted = plain(name);
  return known
    .map((candidate) => ({ candidate, distanceTo: editDistance(wanted, plain(candidate)) }))
    .filter(({ distanceTo: far }) => far <= Math.max(1, wanted.length / 3))
    .toSorted((one, other) => one.distanceTo - other.distanceTo || (one.candidate < other.candidate ? -1 : 1))
    .slice(0, 5)
    .map(({ candidate }) => candidate);
}

/** Normalises a name: names that differ only in case, accents or blanks look the same to most people. */
function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[\p{M}\s]/gu, '')
    .toLowerCase();
}

/** Returns the edit distance; a part of a name is one step from the whole. */
function editDistance(one: string, other: string): number {
  return one !== other && one.length > 2 && other.includes(one) ? 1 : distance(one, other);
}

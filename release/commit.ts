import { execFileSync } from 'node:child_process';

/** What a release is made from. */
export interface Commit {
  /** Its hash; with `-changed` behind it where files differ from it. */
  readonly id: string;
  /** When it was made, in seconds of the epoch: the time of everything in the release. */
  readonly seconds: number;
}

/**
 * The commit that is checked out.
 *
 * @param mayDiffer whether files may be other than in it
 * @throws Error when they are and may not be, or this is no git repository
 */
export function readCommit(root: string, mayDiffer: boolean): Commit {
  const id = git(root, 'rev-parse', 'HEAD').trim();
  const seconds = Number(git(root, 'log', '-1', '--format=%ct'));
  const changes = git(root, 'status', '--porcelain').trim();
  if (changes === '') return { id, seconds };
  if (!mayDiffer) throw new Error(`a release is made from a commit, and these files are not as in it:\n${changes}`);
  return { id: `${id}-changed`, seconds };
}

/** Paths of all files of a commit, from the root on; of what is in version control now, where files differ from it. */
export function trackedFiles(root: string, { id }: Commit): string[] {
  const listed = id.endsWith('-changed') ? ['ls-files', '-z'] : ['ls-tree', '-r', '-z', '--name-only', id];
  return git(root, ...listed)
    .split('\0')
    .filter((file) => file !== '')
    .toSorted();
}

/** @throws Error when the CHANGELOG has no section of this version: it would be tagged as one that nobody has described */
export function requireChanges(changelog: string, version: string): void {
  const heading = `## [${version}]`;
  if (changelog.split('\n').some((line) => line.startsWith(heading))) return;
  throw new Error(`CHANGELOG.md has no section "${heading} - DATE"; what is tagged must be described there`);
}

/** @returns what was done, for a person @throws Error when there is such a tag, or the commit is not what was released */
export function tag(root: string, version: string, { id }: Commit): string {
  if (id.endsWith('-changed')) throw new Error('what was released is not what the commit holds: it is not tagged');
  git(root, 'tag', '-a', `v${version}`, id, '-m', `v${version}`);
  return `tagged v${version}; to publish the tag: git push origin v${version}\n`;
}

/** @returns what git printed @throws Error with its complaint */
export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

import { execFileSync } from 'node:child_process';

/** The source of a release. */
export interface Commit {
  /** Its hash, with `-changed` appended if files differ from it. */
  readonly id: string;
  /** Commit time in epoch seconds, used as the time of everything in the release. */
  readonly seconds: number;
}

/**
 * Returns the commit that is checked out.
 *
 * @param mayDiffer whether files may differ from it
 * @throws Error if they differ and may not, or this is not a git repository
 */
export function readCommit(root: string, mayDiffer: boolean): Commit {
  const id = git(root, 'rev-parse', 'HEAD').trim();
  const seconds = Number(git(root, 'log', '-1', '--format=%ct'));
  const changes = git(root, 'status', '--porcelain').trim();
  if (changes === '') return { id, seconds };
  if (!mayDiffer) throw new Error(`a release is made from a commit, and these files differ from it:\n${changes}`);
  return { id: `${id}-changed`, seconds };
}

/**
 * Returns the paths of all files of a commit, relative to the root; of the files in version control now if files differ
 * from the commit.
 */
export function trackedFiles(root: string, { id }: Commit): string[] {
  const listed = id.endsWith('-changed') ? ['ls-files', '-z'] : ['ls-tree', '-r', '-z', '--name-only', id];
  return git(root, ...listed)
    .split('\0')
    .filter((file) => file !== '')
    .toSorted();
}

/** @throws Error if the CHANGELOG has no section for this version, which must not be tagged without a description */
export function requireChangelogSection(changelog: string, version: string): void {
  const heading = `## [${version}]`;
  if (changelog.split('\n').some((line) => line.startsWith(heading))) return;
  throw new Error(`CHANGELOG.md has no section "${heading} - DATE"; what is tagged must be described there`);
}

/**
 * @returns a message for the user
 * @throws Error if the tag exists, or the release differs from the commit
 */
export function tag(root: string, version: string, { id }: Commit): string {
  if (id.endsWith('-changed')) throw new Error('what was released is not what the commit holds: it is not tagged');
  git(root, 'tag', '-a', `v${version}`, id, '-m', `v${version}`);
  return `tagged v${version}; to publish the tag: git push origin v${version}\n`;
}

/**
 * @returns git's output
 * @throws Error with git's error message
 */
export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

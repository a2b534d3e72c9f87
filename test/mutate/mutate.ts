import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MutateArguments } from './arguments.js';
import { mutationsOf, type Mutation } from './mutations.js';
import { digestOf, openTried, type Trial } from './tried.js';
import { makeWorkbench, type Workbench } from './workbench.js';

/** The result for a folder. */
export interface Mutated {
  readonly tried: number;
  readonly noticed: number;
  /** Mutations that no test notices, such as `server/keys/key.ts:12 a < b → a <= b`. */
  readonly survivors: readonly string[];
  /** Not tried because the time was up. */
  readonly left: number;
}

const dist = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(dist, file), 'utf8');

/** @throws Error if the folder has no tests, or they fail without a mutation */
export async function mutate(wanted: MutateArguments, progress: (line: string) => void): Promise<Mutated> {
  const files = builtFiles(wanted.folder, (name) => name.endsWith('.js'));
  const tests = testsOf(wanted);
  const tried = openTried();
  const workbench = makeWorkbench();
  try {
    const timed = await timeTests(workbench, tests);
    for (const { test, ms } of timed) progress(`${test}: ${(ms / 1000).toFixed(1)} s`);
    const code = digestOf(files.map(read));
    const places = files
      .filter((file) => file.includes(wanted.files))
      .flatMap((file) => mutationsOf(file, read(file)).map((mutation) => ({ file, mutation })))
      .filter((_, at) => at % wanted.sample === 0);
    const until = wanted.minutes === 0 ? Infinity : performance.now() + wanted.minutes * 60_000;
    const survivors: string[] = [];
    let [noticed, done] = [0, 0];
    for (const { file, mutation } of places) {
      const { start, end, replacement } = mutation;
      const key = digestOf([code, file, `${start} ${end} ${replacement}`]);
      let trial = tried.find(key);
      if (trial === undefined || !isValid(trial, timed)) {
        if (performance.now() > until) break;
        trial = await tryOut(workbench, file, mutation, timed);
        tried.add(key, trial);
      }
      done++;
      if (trial.noticed) noticed++;
      else survivors.push(describe(file, mutation));
      if (!trial.noticed) progress(`${done} of ${places.length}: ${survivors.at(-1)}`);
    }
    return { tried: done, noticed, survivors, left: places.length - done };
  } finally {
    workbench.remove();
  }
}

interface TimedTest {
  readonly test: string;
  readonly digest: string;
  readonly ms: number;
}

/** Runs the tests once and returns them with their durations, the quickest first. */
async function timeTests(bench: Workbench, tests: readonly string[]): Promise<readonly TimedTest[]> {
  const timed: TimedTest[] = [];
  for (const test of tests) {
    const { passed, ms } = await bench.passes(test, 600_000);
    if (!passed) throw new Error(`${test} fails as it is`);
    timed.push({ test, digest: digestOf([read(test)]), ms });
  }
  return timed.toSorted((one, other) => one.ms - other.ms);
}

const allOf = (tests: readonly TimedTest[]): string => digestOf(tests.map(({ digest }) => digest).toSorted());

/** Returns whether an earlier trial is valid for these tests. */
function isValid({ noticed, by }: Trial, tests: readonly TimedTest[]): boolean {
  return noticed ? tests.some(({ digest }) => digest === by) : by === allOf(tests);
}

async function tryOut(
  bench: Workbench,
  file: string,
  { start, end, replacement }: Mutation,
  tests: readonly TimedTest[],
): Promise<Trial> {
  const source = read(file);
  bench.write(file, source.slice(0, start) + replacement + source.slice(end));
  try {
    for (const { test, digest, ms } of tests) {
      const { passed } = await bench.passes(test, 4 * ms + 15_000);
      if (!passed) return { noticed: true, by: digest };
    }
    return { noticed: false, by: allOf(tests) };
  } finally {
    bench.write(file, source);
  }
}

function testsOf({ folder, tests, without }: MutateArguments): readonly string[] {
  const isTest = (name: string): boolean => name.endsWith('.test.js');
  const own = builtFiles(join('test', folder), isTest);
  const all = builtFiles('test', isTest);
  const more = tests.flatMap((pattern) => all.filter((name) => name.includes(pattern)));
  const chosen = [...new Set([...own, ...more])].filter((name) => !without.some((pattern) => name.includes(pattern)));
  if (chosen.length === 0) throw new Error(`there are no tests of ${folder}`);
  return chosen;
}

function builtFiles(folder: string, wanted: (name: string) => boolean): string[] {
  const names = readdirSync(join(dist, folder), { recursive: true }) as string[];
  return names
    .filter(wanted)
    .map((name) => join(folder, name))
    .toSorted();
}

/** Describes a mutation by its position in TypeScript and the change. */
function describe(file: string, { start, end, replacement }: Mutation): string {
  const source = read(file);
  const before = source.slice(0, start).split('\n');
  const map = new SourceMap(JSON.parse(read(`${file}.map`)) as SourceMapPayload);
  const entry = map.findEntry(before.length - 1, before.at(-1)!.length);
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?';
  const short = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 90);
  return `${file.replace(/\.js$/, '.ts')}:${line}  ${short(source.slice(start, end))}  →  ${short(replacement)}`;
}

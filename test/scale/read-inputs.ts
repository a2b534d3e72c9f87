import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Inputs, Machines, Origin, UnitCosts, Workload } from './inputs.js';

/** The directory of this module's own files. */
export const FOLDER = fileURLToPath(new URL('../../../test/scale/', import.meta.url));

/** `unit-costs.json`: each cost names the run or document from which it comes. */
export interface CostsFile {
  readonly origins: Readonly<Record<string, Origin>>;
  readonly costs: Readonly<
    Record<keyof UnitCosts, { readonly value: unknown; readonly unit: string; readonly origin: string }>
  >;
}

/**
 * @param folders directories with `unit-costs.json`, `machines.json` and `workloads.json`; the first one found of each
 * is used
 * @throws Error for a missing file or origin
 */
export function readInputs(folders: readonly string[] = [FOLDER]): Inputs {
  const { origins, costs } = readCosts(folders);
  for (const [name, { origin }] of Object.entries(costs)) {
    if (origins[origin] === undefined)
      throw new Error(`unit-costs.json: ${name} is from "${origin}", which is not described`);
  }
  const values = Object.fromEntries(Object.entries(costs).map(([name, { value }]) => [name, value]));
  return {
    costs: values as unknown as UnitCosts,
    machines: read(folders, 'machines.json') as Machines,
    workloads: read(folders, 'workloads.json') as Workload[],
  };
}

export function readCosts(folders: readonly string[] = [FOLDER]): CostsFile {
  return read(folders, 'unit-costs.json') as CostsFile;
}

function read(folders: readonly string[], name: string): unknown {
  const file = folders.map((folder) => path.join(folder, name)).find((each) => existsSync(each));
  if (file === undefined) throw new Error(`there is no ${name} in ${folders.join(' or ')}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Returns milliseconds since an arbitrary moment, the same in all threads of this process. Measures elapsed time
 * regardless of changes to the machine's clock. (`performance.now()` starts separately in each thread.)
 */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Milliseconds from any moment on, the same in all threads of this process: says what has passed, whatever the machine's clock is
 * set to. (`performance.now()` begins anew in each thread.)
 */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

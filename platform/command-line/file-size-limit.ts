/**
 * Makes a write that exceeds the file size limit (`ulimit -f`, `LimitFSIZE=`) fail with an error. Node does so by
 * default, but without another listener the clean-up handler that proper-lockfile registers would end the process.
 */
export function reportFileSizeLimit(): void {
  process.on('SIGXFSZ', () => undefined);
}

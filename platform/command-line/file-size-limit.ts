/**
 * Has a limit on file size (`ulimit -f`, `LimitFSIZE=`) reported by the write that meets it. Node does so by itself; the
 * clean-up that proper-lockfile registers would end the process instead, unless somebody else listens.
 */
export function reportFileSizeLimit(): void {
  process.on('SIGXFSZ', () => undefined);
}

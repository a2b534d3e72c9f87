import pino, { type Logger } from 'pino';

/** Lines of requests wait for one another so long, milliseconds: one write of many costs hardly more than one of one. */
const GATHER_MS = 100;
/** So many bytes that wait are written at once. */
const MOST_WAITING = 8192;
/** From `warn` on, lines do not wait. */
const URGENT = 40;

/**
 * The server's log on standard error: what is printed for the person who started it, on standard output, stays readable. Lines
 * below `warn` are written ten times a second; all are when the process ends, unless it is killed.
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: true, minLength: MOST_WAITING });
  setInterval(() => destination.flushSync(), GATHER_MS).unref();
  process.on('exit', () => destination.flushSync());
  return pino(
    {
      level,
      hooks: {
        logMethod(args, write, ofLevel) {
          write.apply(this, args);
          if (ofLevel >= URGENT) destination.flushSync();
        },
      },
    },
    destination,
  );
}

import type { IncomingMessage } from 'node:http';

/** This many chunks may be of any size. Beyond them, chunks must average at least `USUAL_PIECE` bytes. */
const SMALL_PIECES = 2000;
const USUAL_PIECE = 100;

/**
 * Reads a request's body and closes its connection when the chunks are far smaller than networks make them: 256 KiB in
 * chunks of one byte would take the event loop most of a second, and a hundred times its length in memory.
 *
 * @param maxBytes closes the connection beyond this length, too
 */
export function limitPieces(request: IncomingMessage, maxBytes = Infinity): void {
  let pieces = 0;
  let bytes = 0;
  request.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (++pieces > SMALL_PIECES + bytes / USUAL_PIECE || bytes > maxBytes) request.destroy();
  });
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from './table.js';

/** The results of a load test. */
export interface HttpLoad {
  readonly requests: number;
  readonly aSecond: number;
  /** Milliseconds from sending a request to its complete response. */
  readonly p50: number;
  readonly p99: number;
  /** Mean size of a response, including headers. */
  readonly answerBytes: number;
}

/**
 * Sends requests over persistent connections, each connection the next request when it has its response. It does
 * nothing else, because it shares the machine with the server: a full-featured load generator costs as much as the
 * server (`README.md`).
 *
 * @param path returns the path of the next request
 * @throws Error if a response is not 200
 */
export async function httpLoad(
  origin: string,
  path: () => string,
  { connections = 100, seconds }: { readonly connections?: number; readonly seconds: number },
): Promise<HttpLoad> {
  const { hostname, port } = new URL(origin);
  const times: number[] = [];
  let bytes = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const caller = async (): Promise<void> => {
    const socket = connect(Number(port), hostname).setNoDelay();
    await once(socket, 'connect');
    try {
      await askOneByOne(
        socket,
        () => (performance.now() < until ? requestOf(path(), hostname) : null),
        times,
        (size) => {
          bytes += size;
        },
      );
    } finally {
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const took = (performance.now() - began) / 1000;
  return {
    requests: times.length,
    aSecond: times.length / took,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answerBytes: bytes / times.length,
  };
}

/** The headers that a browser sends for an image. */
const HEADERS = [
  'Connection: keep-alive',
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  'Accept: image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'Sec-Fetch-Site: cross-site',
  'Sec-Fetch-Mode: no-cors',
  'Sec-Fetch-Dest: image',
  'Referer: https://publisher.example/',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: de-DE,de;q=0.9,en;q=0.8',
].join('\r\n');

const requestOf = (path: string, host: string): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${HEADERS}\r\n\r\n`;

/** @param next returns null when there are no more requests */
function askOneByOne(
  socket: Socket,
  next: () => string | null,
  times: number[],
  onAnswer: (bytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let answer = '';
    const send = (): void => {
      const request = next();
      if (request === null) return resolve();
      sentAt = performance.now();
      socket.write(request, 'latin1');
    };
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      answer += part;
      const size = sizeOf(answer);
      if (size === null || answer.length < size) return;
      if (!answer.startsWith('HTTP/1.1 200 ')) return reject(new Error(answer.slice(0, 200)));
      times.push(performance.now() - sentAt);
      onAnswer(size);
      answer = '';
      send();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    send();
  });
}

/** Returns the size of the whole response, once its headers are complete. */
function sizeOf(answer: string): number | null {
  const head = answer.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const from = answer.indexOf('Content-Length: ');
  return head + 4 + Number.parseInt(answer.slice(from + 'Content-Length: '.length, head), 10);
}

/**
 * Prints the response of `/readyz` and exits with 0 if the server of this container is ready, with 1 if not. For the
 * image's HEALTHCHECK; plain Node, because a slim image has no curl.
 *
 *   node deploy/healthcheck.mjs
 */
import { get } from 'node:http';

// An empty setting counts as unset.
const port = process.env.OPS_PORT || process.env.PORT || '3000';
// A server that listens on all addresses also listens on 127.0.0.1.
const listening = process.env.OPS_PORT ? process.env.OPS_HOST : process.env.HOST;
const host = !listening || listening === '0.0.0.0' || listening === '::' ? '127.0.0.1' : listening;

get({ host, port, path: '/readyz', timeout: 4000 }, (response) => {
  let body = '';
  response.setEncoding('utf8').on('data', (piece) => (body += piece));
  response.on('end', () => end(response.statusCode === 200 ? 0 : 1, body));
})
  .on('timeout', () => end(1, `no answer from ${host}:${port} within 4 s`))
  .on('error', ({ message }) => end(1, message));

function end(code, message) {
  console.log(message);
  process.exit(code);
}

import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Loaded into the server, and into each of its threads, before their own code: records every name lookup and connection
 * attempt, and lets it proceed.
 */
const FILE = process.env['OUTGOING_FILE'];

function note(what: string, target: unknown): void {
  if (FILE !== undefined) appendFileSync(FILE, `${what} ${JSON.stringify(target)}\n`);
}

/** Records calls of an object's method. */
function watch(holder: object, method: string, what: string): void {
  const methods = holder as Record<string, (...args: unknown[]) => unknown>;
  const own = methods[method]!;
  methods[method] = function noted(this: unknown, ...args: unknown[]) {
    // The address to listen on is looked up too, but is not a name.
    if (what !== 'dns' || net.isIP(String(args[0])) === 0) note(what, args[0]);
    return own.apply(this, args);
  };
}

watch(net.Socket.prototype, 'connect', 'connect');
const datagrams = createSocket('udp4');
watch(Object.getPrototypeOf(datagrams) as object, 'send', 'datagram');
watch(Object.getPrototypeOf(datagrams) as object, 'connect', 'datagram');
datagrams.close();
for (const method of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveTxt']) {
  watch(dns, method, 'dns');
  watch(dns.promises, method, 'dns');
}
// For code that imports a function by its name.
syncBuiltinESMExports();

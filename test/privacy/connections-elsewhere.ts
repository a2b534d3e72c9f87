import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Returns the TCP and UDP sockets of a process that do not use its own port, according to the kernel, so that native
 * code is included.
 */
export function connectionsElsewhere(pid: number, port: number): string[] {
  if (!existsSync(`/proc/${pid}/fd`)) return [];
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''];
      } catch {
        return [];
      }
    }),
  );
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, local = '', , , , , , , , inode = '']) => inode !== '' && own.has(inode) && !local.endsWith(`:${hexPort}`),
      )
      .map(([, local, remote]) => `${table} ${local} ${remote}`),
  );
}

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** TCP connections of a process that were not made to its own port, as the kernel knows them (native code too). */
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

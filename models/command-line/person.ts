import { userInfo } from 'node:os';
import type { Texts } from './settings.js';

/** Who runs a command, for a history: the user of the system, and behind `sudo` the person who became that one. */
export function personAtCommand(env: Texts = process.env): string {
  const user = userName();
  const person = env['SUDO_USER'];
  return person === undefined || person === '' || person === user ? user : `${person} as ${user}`;
}

/** In a container a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

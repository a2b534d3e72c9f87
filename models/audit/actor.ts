import { hostname, userInfo } from 'node:os';

/** Who changes something: a command, by the user of the system who runs it, or somebody signed in to the dashboard. */
export type Actor =
  | {
      readonly via: 'command';
      readonly user: string;
      /** Who called sudo, by its own account. */
      readonly sudoUser?: string;
      readonly host: string;
    }
  | { readonly via: 'dashboard'; readonly session: string; readonly address: string }
  /** Somebody edited the file while a server followed it. */
  | { readonly via: 'file'; readonly host: string };

/** The user who runs this process. */
export function commandActor(env: Readonly<Record<string, string | undefined>> = process.env): Actor {
  const sudoUser = env['SUDO_USER'];
  const sudo = sudoUser === undefined || sudoUser === '' ? {} : { sudoUser };
  return { via: 'command', user: userName(), ...sudo, host: hostname() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

/** An actor on one line. */
export function actorText(actor: Actor): string {
  switch (actor.via) {
    case 'command':
      return `${actor.user}${actor.sudoUser === undefined ? '' : ` (sudo: ${actor.sudoUser})`} on ${actor.host}`;
    case 'dashboard':
      return `dashboard session ${actor.session} from ${actor.address}`;
    case 'file':
      return `an edit of the file, seen by the server on ${actor.host}`;
  }
}

import { hostname, userInfo } from 'node:os';

/**
 * Who made a change: the system user who ran a command, an operator signed in to the dashboard, or whoever edited a
 * file by hand.
 */
export type Actor =
  | {
      readonly via: 'command';
      readonly user: string;
      /** The user who called sudo, as sudo reports it. */
      readonly sudoUser?: string;
      readonly host: string;
    }
  | {
      readonly via: 'dashboard';
      /** Whose access token the session was opened with; absent in entries of earlier releases. */
      readonly user?: string;
      readonly session: string;
      readonly address: string;
    }
  /** The file was edited while a server followed it. */
  | { readonly via: 'file'; readonly host: string };

/** Returns the user who runs this process. */
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

/** Returns an actor as one line of text. */
export function actorText(actor: Actor): string {
  switch (actor.via) {
    case 'command':
      return `${actor.user}${actor.sudoUser === undefined ? '' : ` (sudo: ${actor.sudoUser})`} on ${actor.host}`;
    case 'dashboard':
      return `${actor.user === undefined ? '' : `${actor.user} in `}dashboard session ${actor.session} from ${actor.address}`;
    case 'file':
      return `an edit of the file, seen by the server on ${actor.host}`;
  }
}

/**
 * Returns what to print for an error that ends a program: its message. For an addon that was compiled for another Node,
 * as after an upgrade of the machine's Node, returns what to do instead, since Node's own advice (`npm rebuild`) fails for
 * a user who does not own the code.
 */
export function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!message.includes('was compiled against a different Node.js version')) return message;
  return (
    `the installed addons were compiled for another Node than this one (${process.versions.node}). Run ` +
    '“node server/setup.mjs” here, as the owner of the code, then the same command again; or, with a release, unpack the ' +
    'one that was made for this Node'
  );
}

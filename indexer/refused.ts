/** A feed that is not published, and why: exit code 1. What is live stays as it is. */
export class FeedRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeedRefusedError';
  }
}

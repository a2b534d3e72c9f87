/**
 * Waits for all of several closings, whatever some of them throw.
 *
 * @throws the first error, once all have ended
 */
export async function settleAll(closings: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(closings)) if (result.status === 'rejected') throw result.reason;
}

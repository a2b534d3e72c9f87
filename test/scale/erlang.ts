/**
 * The share of arrivals that find all servers of an M/M/c queue busy (Erlang's C formula).
 *
 * @param servers c, at least 1
 * @param load arrivals a second times the mean service in seconds, that is the servers that are busy on average
 * @returns 1 where the load is as many servers as there are, or more
 */
export function waitingShare(servers: number, load: number): number {
  if (load >= servers) return 1;
  // Erlang's B by its recursion, which neither overflows nor divides large by large.
  let blocked = 1;
  for (let server = 1; server <= servers; server++) blocked = (load * blocked) / (server + load * blocked);
  return blocked / (1 - (load / servers) * (1 - blocked));
}

/** The mean wait of an M/M/c queue, in the unit of the mean service. */
export function meanWait(servers: number, load: number, service: number): number {
  return load >= servers ? Infinity : (waitingShare(servers, load) * service) / (servers - load);
}

/** How long the given share of arrivals waits at most, such as .99; in the unit of the mean service. */
export function waitQuantile(servers: number, load: number, service: number, share: number): number {
  if (load >= servers) return Infinity;
  const beyond = (1 - share) / waitingShare(servers, load);
  return beyond >= 1 ? 0 : (-Math.log(beyond) * service) / (servers - load);
}

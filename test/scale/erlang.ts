/**
 * Returns the share of arrivals that find all servers of an M/M/c queue busy (Erlang's C formula).
 *
 * @param servers c, at least 1
 * @param load arrivals per second times mean service in seconds, that is the mean number of busy servers
 * @returns 1 if the load reaches the number of servers
 */
export function waitingShare(servers: number, load: number): number {
  if (load >= servers) return 1;
  // Uses the recursion of Erlang's B, which neither overflows nor divides large numbers by large numbers.
  let blocked = 1;
  for (let server = 1; server <= servers; server++) blocked = (load * blocked) / (server + load * blocked);
  return blocked / (1 - (load / servers) * (1 - blocked));
}

/** Returns the mean wait of an M/M/c queue, in the unit of the mean service. */
export function meanWait(servers: number, load: number, service: number): number {
  return load >= servers ? Infinity : (waitingShare(servers, load) * service) / (servers - load);
}

/** Returns the maximum wait of the given share of arrivals, such as .99, in the unit of the mean service. */
export function waitQuantile(servers: number, load: number, service: number, share: number): number {
  if (load >= servers) return Infinity;
  const beyond = (1 - share) / waitingShare(servers, load);
  return beyond >= 1 ? 0 : (-Math.log(beyond) * service) / (servers - load);
}

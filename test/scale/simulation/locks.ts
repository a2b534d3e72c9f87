/** A lock with shared and exclusive modes, granted in the order of requests, like PostgreSQL's. */
export interface Lock {
  /**
   * @param granted called immediately if the lock is free
   * @returns a function that withdraws the request; it returns false if the lock was already granted
   */
  take(alone: boolean, granted: () => void): () => boolean;
  release(alone: boolean): void;
}

interface Request {
  readonly alone: boolean;
  readonly granted: () => void;
}

export function createLock(): Lock {
  const waiting: Request[] = [];
  let sharing = 0;
  let isAlone = false;
  const isFree = (alone: boolean): boolean => !isAlone && (!alone || sharing === 0);
  const grant = ({ alone, granted }: Request): void => {
    if (alone) isAlone = true;
    else sharing++;
    granted();
  };
  const next = (): void => {
    while (waiting.length > 0 && isFree(waiting[0]!.alone)) grant(waiting.shift()!);
  };
  return {
    take(alone, granted) {
      const request = { alone, granted };
      if (waiting.length === 0 && isFree(alone)) {
        grant(request);
        return () => false;
      }
      waiting.push(request);
      return () => {
        const place = waiting.indexOf(request);
        if (place === -1) return false;
        waiting.splice(place, 1);
        next();
        return true;
      };
    },
    release(alone) {
      if (alone) isAlone = false;
      else sharing--;
      next();
    },
  };
}

/** A lock that many may share or one may have alone, in the order in which they asked, as PostgreSQL's. */
export interface Lock {
  /** @param granted at once where it is free @returns takes the request back; false when it was granted already */
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

import type { EventQueue } from './event-queue.js';

/** Some servers with one queue before them, first come first served: cores, threads, a disk. */
export interface Station {
  /** How many wait. */
  readonly waiting: number;
  /** Milliseconds of work done so far, of all servers together; what is under way is counted from its beginning on. */
  readonly worked: number;
  /** @param service milliseconds of one server @param done at its end */
  serve(service: number, done: () => void): void;
}

export function createStation(queue: EventQueue, servers: number): Station {
  // A list with a moving head: `shift` copies what is left.
  let waiting: { readonly service: number; readonly done: () => void }[] = [];
  let head = 0;
  let busy = 0;
  let worked = 0;
  const begin = (service: number, done: () => void): void => {
    worked += service;
    queue.after(service, () => {
      const next = waiting[head];
      if (next === undefined) busy--;
      else {
        if (++head > 1000 && head * 2 > waiting.length) [waiting, head] = [waiting.slice(head), 0];
        begin(next.service, next.done);
      }
      done();
    });
  };
  return {
    get waiting() {
      return waiting.length - head;
    },
    get worked() {
      return worked;
    },
    serve(service, done) {
      if (busy === servers) return void waiting.push({ service, done });
      busy++;
      begin(service, done);
    },
  };
}

import type { EventQueue } from './event-queue.js';

/** A first-come-first-served queue in front of several servers, such as cores, threads or a disk. */
export interface Station {
  /** Length of the queue. */
  readonly waiting: number;
  /** Milliseconds of work done so far by all servers together; work in progress is counted in full from its start. */
  readonly worked: number;
  /**
   * @param service milliseconds on one server
   * @param done called at the end
   */
  serve(service: number, done: () => void): void;
}

export function createStation(queue: EventQueue, servers: number): Station {
  // A list with a moving head, because `shift` copies the remaining entries.
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

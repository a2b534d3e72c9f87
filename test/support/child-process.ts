import type { ChildProcess } from 'node:child_process';

/** How a process ended, and everything that it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process started with pipes for its output. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once standard output contains the text, or the process has ended. */
  prints(text: string): Promise<void>;
}

/** Collects what a process prints until it ends. */
export function watchProcess(child: ChildProcess): Running {
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr!.on('data', (piece: Buffer) => (stderr += piece.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    prints: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (stdout.includes(text)) resolve();
        };
        child.stdout!.on('data', check);
        void ended.then(() => resolve());
        check();
      }),
  };
}

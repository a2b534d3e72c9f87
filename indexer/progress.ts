import cliProgress from 'cli-progress';
import { printableLines } from '../platform/text/printable.js';

/** One step of the work. */
export interface Step {
  advance(done: number): void;
  /** Ends the step and prints its result. */
  end(result: string): void;
}

/** Reports progress to the user. */
export interface Progress {
  print(line: string): void;
  warn(line: string): void;
  startStep(name: string, total: number): Step;
  /** Removes the bar if the work ends early. */
  stop(): void;
}

/** Shows a bar with rate and remaining time on a terminal. Elsewhere prints one line per step, once it is done. */
export function createProgress(out: NodeJS.WritableStream, err: NodeJS.WriteStream): Progress {
  let bar: cliProgress.SingleBar | undefined;
  const say = (line: string): void => void out.write(`${printableLines(line)}\n`);
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    print: say,
    stop,
    // On one line, whatever text of a feed it quotes: a second line could pass for the indexer's own output.
    warn: (line) =>
      void err.write(
        `${printableLines(line)
          .split(/[\r\n]+/)
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .join(' ')}\n`,
      ),
    startStep(name, total) {
      const started = Date.now();
      const seconds = (): number => (Date.now() - started) / 1000;
      if (err.isTTY && total > 0) bar = startBar(name, total, err);
      return {
        advance(done) {
          bar?.update(done, { rate: Math.round(done / Math.max(0.001, seconds())) });
        },
        end(result) {
          stop();
          say(`${name}: ${result} (${seconds().toFixed(1)} s)`);
        },
      };
    },
  };
}

function startBar(name: string, total: number, stream: NodeJS.WriteStream): cliProgress.SingleBar {
  const bar = new cliProgress.SingleBar({
    format: `${name} {bar} {value}/{total} · {rate}/s · {eta_formatted} left`,
    stream,
    clearOnComplete: true,
    hideCursor: true,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    gracefulExit: false,
    etaBuffer: 500,
  });
  bar.start(total, 0, { rate: 0 });
  return bar;
}

import cliProgress from 'cli-progress';
import { printableLines } from '../platform/text/printable.js';

/** One step of the work. */
export interface Step {
  advance(done: number): void;
  /** Ends it, with what came out. */
  end(result: string): void;
}

/** Reports progress to a person. */
export interface Progress {
  print(line: string): void;
  warn(line: string): void;
  startStep(name: string, total: number): Step;
  /** Leaves the terminal in order when the work ends early. */
  stop(): void;
}

/** A bar with rate and time left on a terminal; otherwise one line per step, when it is done. */
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
    // One line, whatever a feed's text in it holds: what stands below would be taken for the indexer's own words.
    warn: (line) => void err.write(`${printableLines(line).replaceAll(/\s*[\r\n]\s*/g, ' ')}\n`),
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

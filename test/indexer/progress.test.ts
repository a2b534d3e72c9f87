import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { createProgress } from '../../indexer/progress.js';
import { eventually } from '../support/eventually.js';

describe('the indexer’s progress', () => {
  const streams = (isTTY: boolean) => {
    const out = new PassThrough();
    const err = Object.assign(new PassThrough(), { isTTY, columns: 120 }) as unknown as NodeJS.WriteStream &
      PassThrough;
    let [printed, drawn] = ['', ''];
    out.on('data', (piece: Buffer) => (printed += piece.toString()));
    err.on('data', (piece: Buffer) => (drawn += piece.toString()));
    return { progress: createProgress(out, err), printed: () => printed, drawn: () => drawn };
  };

  it('is a bar with rate and remaining time on a terminal', async () => {
    const { progress, drawn, printed } = streams(true);
    const step = progress.startStep('Embedding', 200);
    step.advance(50);
    await eventually(() => expect(drawn()).to.match(/Embedding [█░]+ 50\/200 · \d+\/s · \S+ left/));
    step.end('200 embedded');
    await eventually(() => expect(printed()).to.match(/^Embedding: 200 embedded \(\d+\.\d s\)\n$/));
  });

  it('prints a feed’s text on one line, without control sequences', async () => {
    const { progress, drawn } = streams(false);
    progress.warn('feed.jsonl:1: image: file “a\r\n  Published\u001b[2J” does not exist');
    await eventually(() =>
      expect(drawn()).to.equal('feed.jsonl:1: image: file “a Published\ufffd[2J” does not exist\n'),
    );
  });

  it('prints long runs of spaces in linear time', async () => {
    const { progress, drawn } = streams(false);
    const field = `a${' '.repeat(300_000)}b`;
    progress.warn(`${field}\n  ${field}`);
    await eventually(() => expect(drawn()).to.equal(`${field} ${field}\n`));
  });

  it('is one line per step if the output is not a terminal', async () => {
    const { progress, drawn, printed } = streams(false);
    const step = progress.startStep('Embedding', 200);
    step.advance(50);
    step.end('200 embedded');
    await eventually(() => expect(printed()).to.match(/^Embedding: 200 embedded \(\d+\.\d s\)\n$/));
    expect(drawn()).to.equal('');
  });
});

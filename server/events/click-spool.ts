import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type } from 'typebox';
import { appendDurably } from '../../models/files/append-durably.js';
import { syncPath } from '../../models/files/durable.js';
import { checker } from '../../models/schema/check.js';
import type { UsageEvent } from '../ledger/ledger.js';

/** The spool's file within DATA_DIR. */
export const SPOOL_FILE = 'waiting-clicks.jsonl';

/** Clicks of people who were sent on while the ledger could not store them, kept on the disk until it does. */
export interface ClickSpool {
  /** Resolves once the click is on the disk. @throws Error when too many wait, or the disk refuses it */
  add(click: UsageEvent): Promise<void>;
  /** Those that wait, the oldest first. */
  waiting(): readonly UsageEvent[];
  /** The ledger has these. Once none waits, the file goes. */
  remove(clicks: readonly UsageEvent[]): Promise<void>;
  /** Waits for what is being written. The file stays where clicks wait. */
  close(): Promise<void>;
}

export interface ClickSpoolOptions {
  readonly file: string;
  readonly log: { error(details: object, message: string): void };
  /** So many are kept; more are refused. */
  readonly most?: number;
}

/** About half a kilobyte each, in the file and in memory. */
const MOST = 100_000;

/**
 * Opens the spool with what an earlier run left in it. The file only grows, until nothing in it waits: a click that the
 * ledger has already may come again after a crash, and is then `repeated`.
 */
export async function openClickSpool({ file, log, most = MOST }: ClickSpoolOptions): Promise<ClickSpool> {
  const waiting = new Map<string, UsageEvent>();
  const inFile = new Set<string>();
  let additions: Addition[] = [];
  let last: Promise<unknown> = Promise.resolve();

  /** One access to the file at a time. */
  const inTurn = <T>(access: () => Promise<T>): Promise<T> => {
    const turn = last.then(access);
    last = turn.catch(() => undefined);
    return turn;
  };
  const takeOver = async (): Promise<void> => {
    const { clicks, damaged } = await readClicks(file);
    for (const click of clicks.filter(({ id }) => !inFile.has(id))) {
      inFile.add(click.id);
      waiting.set(click.id, click);
    }
    if (damaged > 0) log.error({ file, damaged }, 'waiting clicks: lines that cannot be read are left out');
  };
  /** All that came while the file was busy shares one write. */
  const append = async (): Promise<void> => {
    const batch = additions;
    additions = [];
    if (batch.length === 0) return;
    try {
      await appendDurably(
        file,
        batch.map(({ click }) => JSON.stringify(click)),
      );
      for (const { click, resolve } of batch) {
        inFile.add(click.id);
        waiting.set(click.id, click);
        resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  };
  const clear = async (): Promise<void> => {
    if (waiting.size > 0 || inFile.size === 0) return;
    // Another process may have added to it.
    await takeOver();
    if (waiting.size > 0) return;
    await rm(file, { force: true });
    await syncPath(dirname(file));
    inFile.clear();
  };

  await takeOver();
  // What a full disk cut off may be all that is there; where it cannot be deleted, it does no harm.
  if (inFile.size === 0) await rm(file, { force: true }).catch(() => undefined);
  return {
    add: (click) =>
      new Promise((resolve, reject) => {
        if (inFile.has(click.id)) return resolve();
        if (inFile.size + additions.length >= most) return reject(new Error(`${most} clicks wait already`));
        additions.push({ click, resolve, reject });
        void inTurn(append);
      }),
    waiting: () => [...waiting.values()],
    remove(clicks) {
      for (const { id } of clicks) waiting.delete(id);
      return inTurn(clear);
    },
    close: () => inTurn(async () => undefined),
  };
}

interface Addition {
  readonly click: UsageEvent;
  resolve(): void;
  reject(error: Error): void;
}

/** What the ledger needs of a line at least; whatever else claims hold is taken as it is, since we wrote it. */
const Click = Type.Object({
  kind: Type.Literal('click'),
  id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  claims: Type.Object({ publisher: Type.String(), creative: Type.String(), test: Type.Boolean() }),
  at: Type.Integer({ minimum: 0 }),
});
const check = checker(Click);

async function readClicks(file: string): Promise<{ clicks: UsageEvent[]; damaged: number }> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  const clicks = lines.flatMap((line) => readClick(line) ?? []);
  return { clicks, damaged: lines.length - clicks.length };
}

function readClick(line: string): UsageEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return check(value).ok ? (value as UsageEvent) : undefined;
  } catch {
    return undefined;
  }
}

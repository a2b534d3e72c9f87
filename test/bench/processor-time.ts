import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that a process has used, in milliseconds. Linux alone tells it by thread. */
export interface ProcessorTime {
  /** Of the thread that it started with; in Node the event loop's. */
  readonly main: number;
  /** Of all its threads that live. */
  readonly all: number;
}

/** Processor time is what a busy machine changes least: who waits for a core uses none. */
export function processorTime(pid: number): ProcessorTime {
  const times = readdirSync(`/proc/${pid}/task`).map((task) => onProcessor(`/proc/${pid}/task/${task}`));
  return { main: onProcessor(`/proc/${pid}`), all: sum(times) };
}

/** Processor time of PostgreSQL in milliseconds: its first process, those that it started, and those that ended. */
export function postgresTime(postmaster: number): number {
  const living = [postmaster, ...childrenOf(postmaster)].map((pid) => onProcessor(`/proc/${pid}`));
  const [userTicks, systemTicks] = fieldsOf(postmaster).slice(13, 15);
  return sum(living) + (Number(userTicks) + Number(systemTicks)) * TICK_MS;
}

/** The process that started another. */
export function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Memory that a process holds, bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const TICK_MS = 10;

/** The first figure of `schedstat`, nanoseconds; a process that has just ended has used none. */
function onProcessor(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((each) => {
    try {
      return parentOf(each) === pid;
    } catch {
      return false;
    }
  });
}

/** What follows the name in `stat`; the first is the state. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

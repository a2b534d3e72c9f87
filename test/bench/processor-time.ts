import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that a process has used, in milliseconds. Only Linux reports it by thread. */
export interface ProcessorTime {
  /** Of the main thread, which in Node is the event loop. */
  readonly main: number;
  /** Of all its live threads. */
  readonly all: number;
}

/** Returns processor time, which a busy machine affects least: waiting for a core uses none. */
export function processorTime(pid: number): ProcessorTime {
  const times = readdirSync(`/proc/${pid}/task`).map((task) => onProcessor(`/proc/${pid}/task/${task}`));
  return { main: mainThreadTime(pid), all: sum(times) };
}

/** Returns the processor time of a process's main thread alone, in milliseconds: reading it takes some 10 µs. */
export function mainThreadTime(pid: number): number {
  return onProcessor(`/proc/${pid}`);
}

/**
 * Returns PostgreSQL's processor time in milliseconds: that of the postmaster, its children, and children that ended.
 */
export function postgresTime(postmaster: number): number {
  const living = [postmaster, ...childrenOf(postmaster)].map((pid) => onProcessor(`/proc/${pid}`));
  const [userTicks, systemTicks] = fieldsOf(postmaster).slice(13, 15);
  return sum(living) + (Number(userTicks) + Number(systemTicks)) * TICK_MS;
}

/** Returns the id of the parent process. */
export function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const TICK_MS = 10;

/** Reads the first figure of `schedstat`, nanoseconds; returns 0 for a process that has just ended. */
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

/** Returns the fields after the name in `stat`; the first is the state. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Max labels of an axis. */
const MAX_TICKS = 6;
/** Of these hours each divides a day. */
const EVERY = [1, 2, 3, 4, 6, 8, 12, 24];
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** An hour or day of a plot. */
export interface StepName {
  /** As reports name it: `2026-11-21`, or `2026-11-21T14:00+01:00`. */
  readonly step: string;
  /** In words: `21 Nov`; `14:00`, with the date if the plot has several. */
  readonly at: string;
  /** Its label on the axis; null for most, since only a few fit. */
  readonly tick: string | null;
}

/** Names the steps of a plot, which are all hours or all days. */
export function stepNames(steps: readonly string[]): readonly StepName[] {
  return steps[0]?.includes('T') ? hourNames(steps) : dayNames(steps);
}

function dayNames(steps: readonly string[]): readonly StepName[] {
  const every = Math.max(1, Math.ceil(steps.length / MAX_TICKS));
  return steps.map((step, place) => ({ step, at: dayText(step), tick: place % every === 0 ? dayText(step) : null }));
}

/** Of several days, the first hour of each has the date as its label. */
function hourNames(steps: readonly string[]): readonly StepName[] {
  const times = new Map<string, number>();
  for (const step of steps) times.set(clockOf(step), (times.get(clockOf(step)) ?? 0) + 1);
  const hasDays = steps[0]!.slice(0, 10) !== steps.at(-1)!.slice(0, 10);
  const tickOf = (step: string, last: string, every: number): string | null => {
    if (hasDays && step.slice(0, 10) !== last.slice(0, 10)) return dayText(step);
    // The second of two equal hours has no label.
    return Number(step.slice(11, 13)) % every === 0 && clockOf(step) !== clockOf(last) ? step.slice(11, 16) : null;
  };
  const named = (every: number): readonly StepName[] =>
    steps.map((step, place) => {
      // The hour that occurs twice when summer time ends differs only in its offset.
      const offset = times.get(clockOf(step))! > 1 ? ` ${step.slice(16)}` : '';
      const at = `${hasDays ? `${dayText(step)} ` : ''}${step.slice(11, 16)}${offset}`;
      return { step, at, tick: tickOf(step, steps[place - 1] ?? '', every) };
    });
  return EVERY.map(named).find((names) => names.filter(({ tick }) => tick !== null).length <= MAX_TICKS)!;
}

/** Returns what a clock shows at an hour, without its offset. */
function clockOf(step: string): string {
  return step.slice(0, 16);
}

function dayText(step: string): string {
  return DAY.format(new Date(step.slice(0, 10)));
}

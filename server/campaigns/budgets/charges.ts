import type { Spent } from './budget-check.js';

/** What an account was charged: in total, and on the latest day of its events. */
interface Charge {
  readonly total: number;
  readonly date: string;
  readonly onDate: number;
}

/** What accounts were charged since a moment, in micros. */
export class Charges {
  readonly #byAccount = new Map<string, Charge>();

  /** Adds the price of an event of `date`. */
  add(account: string, micros: number, date: string): void {
    this.#add(account, { total: micros, date, onDate: micros });
  }

  /** Adds later charges. */
  addAll(later: Charges): void {
    for (const [account, charge] of later.#byAccount) this.#add(account, charge);
  }

  /** Returns what an account was charged in total and on `today`. */
  of(account: string, today: string): Spent {
    const { total, date, onDate } = this.#byAccount.get(account) ?? { total: 0, date: today, onDate: 0 };
    return { total, today: date === today ? onDate : 0 };
  }

  /** An event that was stored late may belong to an earlier day: it then adds only to the total. */
  #add(account: string, { total, date, onDate }: Charge): void {
    const before = this.#byAccount.get(account) ?? { total: 0, date, onDate: 0 };
    const sum = before.total + total;
    if (date < before.date) this.#byAccount.set(account, { ...before, total: sum });
    else
      this.#byAccount.set(account, { total: sum, date, onDate: (date === before.date ? before.onDate : 0) + onDate });
  }
}

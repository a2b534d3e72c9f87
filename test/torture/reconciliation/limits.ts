import { knownOfAccount, type Known } from '../calls/catalogue.js';
import type { Sums } from './seen.js';

/** The budgets that were ever in force, by account. */
export interface Limits {
  /** Records that a command is about to set a campaign's total budget. */
  setTotal(campaign: string, micros: number): void;
  /** Describes each account whose spend exceeds the highest budget it ever had. */
  passed(byAccount: Sums, byAccountAndDay: Sums): readonly string[];
  /** Returns whether a budget of these terms may have refused an event of this price, given the spend so far. */
  mayRefuse(known: Known, price: number, byAccount: Sums, byAccountAndDay: Sums): boolean;
}

export function createLimits(): Limits {
  const set = new Map<string, { least: number; most: number }>();
  const totalOf = ({ campaign, budgetMicros }: Known): { least: number; most: number } =>
    set.get(campaign ?? '') ?? { least: budgetMicros ?? Infinity, most: budgetMicros ?? Infinity };

  return {
    setTotal(campaign, micros) {
      const before = set.get(campaign) ?? totalOf(knownOfAccount(campaign));
      set.set(campaign, { least: Math.min(before.least, micros), most: Math.max(before.most, micros) });
    },
    passed(byAccount, byAccountAndDay) {
      const faults: string[] = [];
      for (const [account, micros] of byAccount) {
        const most = totalOf(knownOfAccount(account)).most;
        if (micros > most) faults.push(`${account} has spent ${micros} of ${most} micros`);
      }
      for (const [accountAndDay, micros] of byAccountAndDay) {
        const most = knownOfAccount(accountAndDay.slice(0, -11)).dailyBudgetMicros ?? Infinity;
        if (micros > most) faults.push(`${accountAndDay}: ${micros} of ${most} micros are spent`);
      }
      return faults;
    },
    mayRefuse(known, price, byAccount, byAccountAndDay) {
      const account = known.campaign ?? known.creative;
      if ((byAccount.get(account) ?? 0) + price > totalOf(known).least) return true;
      const daily = known.dailyBudgetMicros ?? Infinity;
      return [...byAccountAndDay].some(
        ([accountAndDay, spent]) => accountAndDay.startsWith(`${account} `) && spent + price > daily,
      );
    },
  };
}

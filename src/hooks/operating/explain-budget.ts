import { MICRO, budgetMeter, describeBudget } from '../options/index.ts';
import type { BudgetOptions } from '../options/index.ts';
import type { BudgetUse } from '../ports/index.ts';

/** How a budget stands, and what that means for a run that comes now. */
export function explainBudget(budget: BudgetOptions, { used, reserved, until }: BudgetUse): string {
  const { of, then = 'hold' } = budget;
  const { most } = budgetMeter(budget);
  const show = (amount: number) =>
    of === 'cost' ? `$${(amount / MICRO).toFixed(2)}` : amount.toLocaleString('en-US');
  const which = `the ${describeBudget(budget)}`;
  if (until !== null) {
    const time = `${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const what = then === 'hold' ? 'its run waits' : 'it is refused (503 budget_used_up)';
    return `${which} is used up (${show(used)}): ${what} until ${time}`;
  }
  const left = Math.max(0, most - used - reserved);
  const underWay = reserved > 0 ? `, ${show(reserved)} reserved by turns under way` : '';
  const wait = left === 0 ? '; its run waits for one of these to end' : '';
  return `of ${which} ${show(used)} is used${underWay}, ${show(left)} left${wait}`;
}

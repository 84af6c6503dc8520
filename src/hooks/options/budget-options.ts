import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { PositiveNumber } from './key-kinds.ts';
import { durationMs } from '../../platform/time.ts';
import { DOLLAR } from '../ports/index.ts';
import type { Agent, BudgetWindow, UsageOf } from '../ports/index.ts';
import { Lasts } from './rule-options.ts';

const HOUR = 3_600_000;
const MOST = 1_000_000_000_000;

/** One entry of `hooks.budgets`: how much agents may use in a time. */
export class BudgetOptions {
  /**
   * What is counted. `tokens`: what models read and write. `runs`: runs that begin, once each; the only one that programs
   * and agents elsewhere count by, which do not say what they use. `cost`: tokens by their price (`models.prices`), in US
   * dollars.
   */
  @IsIn(['tokens', 'runs', 'cost'])
  of!: 'tokens' | 'runs' | 'cost';

  /** How much, over 0 and at most 1,000,000,000,000; of tokens and runs a whole number. */
  @PositiveNumber(MOST)
  most!: number;

  /**
   * Whose. `*`: everything. `hook:<id>`: runs of a hook, by its name or the id of its mapping. `agent:<id>`: runs and
   * heartbeats of an agent. `sender:<id>`: runs of a sender, by its id or how it is verified. @default '*'
   */
  @IsOptional()
  @Matches(/^(?:\*|(?:hook|agent|sender):\S.*)$/, {
    message: 'must be *, hook:<id>, agent:<id> or sender:<id>',
  })
  @IsString()
  scope?: string;

  /** In which time, `1h` to `31d`: never more than {@link most} in any time of that length. */
  @Lasts(HOUR, 744 * HOUR, '1h to 31d')
  per!: string;

  /**
   * What becomes of an event above it. `hold`: its run waits until there is room. `refuse`: its sender is answered 503 with
   * `budget_used_up`, and nothing is stored; what was accepted before waits. @default 'hold'
   */
  @IsOptional()
  @IsIn(['hold', 'refuse'])
  then?: 'hold' | 'refuse';
}

export interface BudgetedWork extends Omit<UsageOf, 'model' | 'agent'> {
  readonly agent: Pick<Agent, 'id' | 'runner'>;
  /** Name of the hook under the prefix. */
  readonly name: string;
}

export function concernsBudget(
  { scope = '*', of }: BudgetOptions,
  { kind, hook, name, agent, sender }: BudgetedWork,
): boolean {
  if (of === 'runs' ? kind !== 'run' : !countsTokens(agent)) return false;
  if (scope === '*') return true;
  const [what, id] = scopeOf(scope);
  if (what === 'agent') return agent.id === id.toLowerCase();
  if (kind !== 'run') return false;
  return what === 'hook' ? id === hook || id === name : id === sender || `token ${id}` === sender;
}

/** Whether what its turns use is known: programs, and agents elsewhere, do not say it. */
export function countsTokens({ runner }: Pick<Agent, 'runner'>): boolean {
  return runner === undefined || runner.type === 'model' || runner.type === 'http';
}

/** What a scope is of, and its id. */
export function scopeOf(scope: string): readonly [what: string, id: string] {
  const colon = scope.indexOf(':');
  return [scope.slice(0, Math.max(0, colon)), scope.slice(colon + 1)];
}

/** Whether one sender alone counts by it. */
export function isOfSender({ scope = '*' }: BudgetOptions): boolean {
  return scopeOf(scope)[0] === 'sender';
}

export function budgetMeter({ of, most, scope = '*', per }: BudgetOptions): BudgetWindow {
  return {
    name: `${of} ${scope} ${per}`,
    most: of === 'cost' ? Math.ceil(most * DOLLAR) : most,
    perMs: durationMs(per),
  };
}

/** In words: `budget of 200,000 tokens in 1d for agent:main`. */
export function describeBudget({ of, most, scope = '*', per }: BudgetOptions): string {
  const amount = most.toLocaleString('en-US');
  const what = of === 'cost' ? `$${amount}` : `${amount} ${of}`;
  return `budget of ${what} in ${per}${scope === '*' ? '' : ` for ${scope}`}`;
}

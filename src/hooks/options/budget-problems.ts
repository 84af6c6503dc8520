import { SOLE_AGENT_ID } from './agents-options.ts';
import type { AgentsOptions } from './agents-options.ts';
import { budgetMeter, countsTokens, isOfSender, scopeOf } from './budget-options.ts';
import type { BudgetOptions } from './budget-options.ts';
import type { HooksOptions } from './hooks-options.ts';
import { priceOf, unaliased } from './models-options.ts';
import type { ModelsOptions } from './models-options.ts';
import type { Problem } from './problem.ts';
import { runnerSettings } from './runner-options.ts';

interface Sections {
  readonly hooks: HooksOptions;
  readonly agents: AgentsOptions;
  readonly models: ModelsOptions;
}

export function budgetProblems({ hooks: { budgets }, agents, models }: Sections): Problem[] {
  const names = budgets.map((budget) => budgetMeter(budget).name);
  return budgets.flatMap((budget, index) => {
    const key = `hooks.budgets[${index}]`;
    if (names.indexOf(names[index]!) < index) {
      const message = 'counts the same as an earlier budget; remove one of them';
      return [{ key, message }];
    }
    if (budget.of !== 'cost' && !Number.isInteger(budget.most)) {
      return [{ key: `${key}.most`, message: `must be a whole number of ${budget.of}` }];
    }
    if (budget.of !== 'cost') return [];
    const unknown = new Set(
      agentsOf(budget, agents)
        .filter(({ countsTokens }) => countsTokens)
        .map(({ model = 'auto' }) => unaliased(model, models.aliases, agents.defaults.models))
        .filter((model) => priceOf(model, models) === undefined),
    );
    return Array.from(unknown, (model) => ({
      key,
      message: `counts cost, and there is no price of the model "${model}": set models.prices: {"${model}": {input, output}}, in US dollars for a million tokens`,
    }));
  });
}

export function budgetWarnings(sections: Sections): Problem[] {
  return [...uncountedAgents(sections), ...unguarded(sections)];
}

/** Budgets that one of several senders may use up for all of them. */
function unguarded({ hooks }: Sections): Problem[] {
  const { budgets } = hooks;
  if (countSenders(hooks) < 2 || budgets.some(isOfSender)) return [];
  return budgets.flatMap(({ scope = '*' }, index) => {
    if (scope !== '*') return [];
    const message = `is for all senders, and any of them can use it up for the others: add budgets with scope: 'sender:<id>'`;
    return [{ key: `hooks.budgets[${index}]`, message }];
  });
}

function countSenders({ token, tokens, presets, mappings }: HooksOptions): number {
  const signing = mappings.flatMap(({ id, verify }, index) =>
    verify === undefined ? [] : (verify.senders?.map((sender) => sender.id) ?? [id ?? index]),
  );
  const ids = new Set([...presets, ...signing]);
  return ids.size + tokens.length + (token === undefined ? 0 : 1);
}

/** Budgets that count nothing of an agent. */
function uncountedAgents({ hooks: { budgets }, agents }: Sections): Problem[] {
  return budgets.flatMap((budget, index) => {
    if (budget.of === 'runs') return [];
    const uncounted = agentsOf(budget, agents).filter(({ countsTokens }) => !countsTokens);
    if (uncounted.length === 0) return [];
    const ids = uncounted.map(({ id }) => `"${id}"`).join(', ');
    const message = `counts nothing of ${ids}: a program, or an agent elsewhere, does not say what it uses; add a budget of runs`;
    return [{ key: `hooks.budgets[${index}]`, message }];
  });
}

interface BudgetedAgent {
  readonly id: string;
  readonly model: string | undefined;
  readonly countsTokens: boolean;
}

function agentsOf({ scope = '*' }: BudgetOptions, agents: AgentsOptions): BudgetedAgent[] {
  const { list, defaults } = agents;
  const entries: readonly Partial<(typeof list)[number]>[] = list.length > 0 ? list : [{}];
  const [what, id] = scopeOf(scope);
  return entries
    .map(({ id: own = SOLE_AGENT_ID, model = defaults.model, runner = defaults.runner }) => ({
      id: own.trim().toLowerCase(),
      model,
      countsTokens: countsTokens({ runner: runnerSettings(runner) }),
    }))
    .filter((agent) => what !== 'agent' || agent.id === id.toLowerCase());
}

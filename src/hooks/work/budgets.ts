// What agents may use in a time (`hooks.budgets`, behaviour.md §16, docs/design/rules.md). The most that a turn can use is
// reserved before its agent is asked, and what it used takes its place in the commit of its end:
//
//   AgentDispatch.take ─▶ before ─┬─ a budget is used up, or reserved by others ─▶ the turn waits
//                              ├─ its model has no price, and cost is counted ─▶ it fails, and says what to do
//                              └─ else null ─▶ the agent is asked ─▶ after ─▶ the change `usage`
import { Injectable } from '@nestjs/common';
import { timeOfDay } from '../../platform/time.ts';
import {
  HooksSettings,
  budgetMeter,
  concernsBudget,
  isOfSender,
  countsTokens,
  describeBudget,
  priceOf,
} from '../options/index.ts';
import type { BudgetOptions, BudgetedWork, PriceOptions } from '../options/index.ts';
import { AgentError, MAX_STEPS, NEARLY_FULL, WorkLedger, usageOfJob } from '../ports/index.ts';
import type {
  Agent,
  AgentFailure,
  AgentReply,
  AgentTurn,
  BudgetMeter,
  Change,
  HeartbeatLease,
  RunLease,
  TokenUsage,
  ToolCall,
} from '../ports/index.ts';
import { OperatorAddress } from './operator-address.ts';

/** Most that a model writes in a call where a budget counts it, in tokens, unless the operator says otherwise. */
const MAX_OUTPUT_TOKENS = 16_384;
/** Of a model's instructions (`AGENTS.md`) and of the descriptions of its tools, in tokens. */
const UNSEEN_TOKENS = 16_384;

interface Counted {
  readonly budget: BudgetOptions;
  readonly meter: BudgetMeter;
}

type CountedTurn = Pick<
  AgentTurn,
  'agent' | 'model' | 'prompt' | 'history' | 'contract' | 'maxOutputTokens'
>;

/** Nobody was asked, because a budget is used up, or what is left of it is reserved (`isShort`); `error` says which. */
export interface HeldTurn {
  readonly outcome: 'held';
  readonly error: string;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly isShort: boolean;
}

interface EndedTurn {
  readonly outcome: string;
  readonly reply?: Pick<AgentReply, 'usage' | 'model'>;
  readonly kind?: AgentFailure;
  readonly hasStarted?: boolean;
  readonly toolCalls: readonly ToolCall[];
}

interface Calls {
  readonly each: TokenUsage;
  readonly most: number;
}

@Injectable()
export class Budgets {
  constructor(
    private readonly settings: HooksSettings,
    private readonly ledger: WorkLedger,
    private readonly operator: OperatorAddress,
  ) {}

  /** Most that its model may write in a call; undefined: as much as the provider lets it. */
  maxOutputTokens(lease: RunLease | HeartbeatLease, agent: Agent): number | undefined {
    const { maxOutputTokens } = this.settings.current.agents.defaults;
    const counts = this.#of(usageOf(lease, agent)).some(({ of }) => of !== 'runs');
    return maxOutputTokens ?? (counts ? MAX_OUTPUT_TOKENS : undefined);
  }

  /** Reserves what a turn may use. @returns what becomes of it instead of being taken; null: there is room */
  async before(
    lease: RunLease | HeartbeatLease,
    turn: CountedTurn,
  ): Promise<HeldTurn | AgentError | null> {
    const budgets = this.#of(usageOf(lease, turn.agent));
    if (budgets.length === 0) return null;
    const price = this.#priceOf(turn);
    if (price === undefined && budgets.some(({ of }) => of === 'cost')) {
      return new AgentError(noPrice(turn.model), 'needs-operator');
    }
    const counted = this.#count(turn, budgets);
    const room = await this.ledger.reserveTurn({
      workId: lease.workId,
      runId: lease.ref,
      meters: counted.map(({ meter }) => meter),
    });
    if (!room.isFull) return null;
    const full = counted.find(({ meter }) => meter.name === room.name)!;
    const why = room.isShort
      ? `turns under way have reserved what is left of the ${describeBudget(full.budget)}`
      : `the ${describeBudget(full.budget)} is used up`;
    const { until, isShort } = room;
    return { outcome: 'held', error: `${why}; tried at ${timeOfDay(until)}`, until, isShort };
  }

  after(lease: RunLease | HeartbeatLease, turn: CountedTurn, result: EndedTurn): readonly Change[] {
    const { agent } = turn;
    const work = usageOf(lease, agent);
    const { name: _name, ...of } = work;
    const counted = this.#count(turn, this.#of(work));
    if (['held', 'resting'].includes(result.outcome)) return [];
    const calls = callsOf(turn);
    const used = usedBy(result, calls);
    const isCutOff = result.outcome === 'timed-out' && isSendersTime(lease, agent);
    const usedOfOthers = isCutOff ? likelyUsed(calls) : used;
    const { usage: said, model = countsTokens(agent) ? turn.model : undefined } =
      result.reply ?? {};
    const usage = said ?? (isOver(result, used) ? 'unknown' : undefined);
    if (counted.length === 0 && usage === undefined) return [];
    const price = this.#priceOf(turn);
    const address = this.operator.find();
    return [
      {
        type: 'usage',
        workId: lease.workId,
        of: { ...of, agent: agent.id, model: model ?? '' },
        ...(usage !== undefined && {
          usage,
          ...(said !== undefined && price !== undefined && { cost: costOf(said, price) }),
        }),
        meters: counted.map(({ budget, meter: { amount: _most, ...meter } }) => {
          const counts = isOfSender(budget) ? used : usedOfOthers;
          return {
            ...meter,
            amount: counts && amountOf(budget, counts, price),
            whenNear:
              address === null ? [] : [this.operator.message(address, this.#nearlyFull(budget))],
          };
        }),
      },
    ];
  }

  #of(of: BudgetedWork): readonly BudgetOptions[] {
    return this.settings.current.hooks.budgets.filter((budget) => concernsBudget(budget, of));
  }

  #count(turn: CountedTurn, budgets: readonly BudgetOptions[]): readonly Counted[] {
    const { each, most } = callsOf(turn);
    const all = { inputTokens: each.inputTokens * most, outputTokens: each.outputTokens * most };
    const price = this.#priceOf(turn);
    return budgets.map((budget) => ({
      budget,
      meter: {
        ...budgetMeter(budget),
        amount: amountOf(budget, all, price),
        ...(budget.of === 'runs' && { countsRuns: true as const }),
      },
    }));
  }

  #priceOf({ model }: CountedTurn): PriceOptions | undefined {
    return priceOf(model ?? 'auto', this.settings.current.models);
  }

  #nearlyFull(budget: BudgetOptions): string {
    const then = budget.then === 'refuse' ? 'new events are refused' : 'runs wait';
    return `${NEARLY_FULL * 100} % of the ${describeBudget(budget)} is used; once it is used up, ${then} until there is room.`;
  }
}

function usageOf(lease: RunLease | HeartbeatLease, agent: Agent): BudgetedWork {
  return { ...usageOfJob(lease.job), name: lease.kind === 'run' ? lease.job.hook : '', agent };
}

/** A token is a byte at least. With tools, each call is shown what the ones before it have said. */
function callsOf({ agent, prompt, history, contract, maxOutputTokens }: CountedTurn): Calls {
  const shown = [agent.instructions ?? '', prompt, ...history.map(({ text }) => text)];
  const bytes = shown.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const hasTools = agent.tools !== undefined && contract.allowedTools.length > 0;
  const hasMore = hasTools || agent.workspace !== undefined;
  const inputTokens = bytes + (hasMore ? UNSEEN_TOKENS : 0);
  const most = hasTools || agent.runner?.type === 'http' ? MAX_STEPS + 1 : 1;
  return { each: { inputTokens, outputTokens: maxOutputTokens ?? MAX_OUTPUT_TOKENS }, most };
}

const UNANSWERED: ReadonlySet<AgentFailure | undefined> = new Set([
  'unreachable',
  'rate-limited',
  'needs-operator',
]);

/** What a turn has used; null: nobody knows. Where nobody counted, each call that it made used the most that it can. */
function usedBy(result: EndedTurn, { each, most }: Calls): TokenUsage | null {
  const calls = Math.min(most, result.toolCalls.length + 1);
  const atMost = {
    inputTokens: each.inputTokens * calls,
    outputTokens: each.outputTokens * calls,
  };
  const nothing = { inputTokens: 0, outputTokens: 0 };
  switch (result.outcome) {
    case 'replied':
    case 'asks':
    case 'waits':
      return result.reply?.usage ?? atMost;
    case 'failed':
      // Who did not answer counts nothing.
      return UNANSWERED.has(result.kind) ? nothing : atMost;
    case 'stopped':
      return result.hasStarted === true ? atMost : nothing;
    case 'timed-out':
      return atMost;
    default:
      return null;
  }
}

/** Whether the sender has said how long its turn takes at most, and less than its agent would have: no mapping has. */
function isSendersTime(lease: RunLease | HeartbeatLease, { timeoutSeconds }: Agent): boolean {
  if (lease.kind === 'heartbeat') return false;
  const { trust, timeoutSeconds: own } = lease.job;
  return trust.mapping === undefined && own < timeoutSeconds;
}

/** Of text a token is some four bytes. What others share is not used up by who has turns cut off that cost little. */
function likelyUsed({ each: { inputTokens, outputTokens } }: Calls): TokenUsage {
  return { inputTokens: Math.ceil(inputTokens / 4), outputTokens };
}

/** Of a turn that an earlier process began, the ledger has counted what was cut off. */
function isOver({ outcome, hasStarted }: EndedTurn, used: TokenUsage | null): boolean {
  if (hasStarted === false || outcome === 'asks' || outcome === 'waits') return false;
  return used?.outputTokens !== 0;
}

function amountOf(
  { of }: BudgetOptions,
  usage: TokenUsage,
  price: PriceOptions | undefined,
): number {
  if (of === 'runs') return 1;
  if (of === 'tokens') return usage.inputTokens + usage.outputTokens;
  return price === undefined ? 0 : costOf(usage, price);
}

/** What tokens cost, in millionths of a dollar. */
function costOf(
  { inputTokens, outputTokens }: TokenUsage,
  { input, output }: PriceOptions,
): number {
  return Math.ceil(inputTokens * input + outputTokens * output);
}

function noPrice(model = 'auto'): string {
  return `there is no price of model "${model}", and a budget counts cost: set models.prices`;
}

// The sender is answered after the one commit and not before. What may not be stored (paused, full, its key known with
// other content) leaves nothing behind.
import { Injectable } from '@nestjs/common';
import { budgetMeter, concernsBudget } from '../options/index.ts';
import type { BudgetOptions, ResolvedHooksOptions } from '../options/index.ts';
import {
  AgentDirectory,
  Intake,
  LedgerUnavailable,
  ROUND_HEADER,
  readRound,
} from '../ports/index.ts';
import type { Redaction } from '../../platform/credentials.ts';
import { newId } from '../../platform/new-id.ts';
import { activeTrace, asTraceparent, traced } from '../../platform/tracing.ts';
import type { AcceptLimits, Acceptance, NewEvent, Receipt, SkipReceipt } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import type { HookAction } from './hook-action.ts';
import type { HookRequest } from './hook-request.ts';
import { isOfSignedText, keysOf } from './idempotency.ts';
import type { DedupeRule } from './idempotency.ts';
import { toNewAction } from './new-action.ts';

export interface ResolvedHook {
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  /** Id of the mapping that matched; absent for the built-in hooks. */
  readonly mapping?: string;
  readonly actions: readonly HookAction[];
  /** How the keys of actions are compared. @default by the key alone, among all senders */
  readonly dedupe?: DedupeRule;
  /** How many runs of this hook may wait. Absent: as many as come. */
  readonly maxQueued?: number;
  readonly warnings: readonly string[];
  readonly idempotencyKey?: string;
  readonly console?: readonly string[];
  readonly redaction?: Redaction;
  /** Why there is nothing to do: the event is kept as skipped. */
  readonly skipped?: SkipReceipt;
  /** The mapping broke: the event is kept as failed, for the operator, and the sender is answered with this. */
  readonly failure?: { readonly rejection: Rejection; readonly text: string };
}

export interface Accepted {
  readonly receipt: Receipt;
  /** True: the same key came before; nothing was written. */
  readonly isReplay: boolean;
}

@Injectable()
export class EventAcceptance {
  constructor(
    private readonly intake: Intake,
    private readonly agents: AgentDirectory,
  ) {}

  /** @throws Rejection when it could not be accepted; nothing was stored then. */
  accept(
    request: HookRequest,
    resolved: ResolvedHook,
    settings: ResolvedHooksOptions,
  ): Promise<Accepted> {
    const received = {
      name: `receive ${resolved.mapping ?? resolved.hook}`,
      kind: 'CONSUMER',
      parent: request.headers['traceparent'],
      startTime: request.receivedAt,
    } as const;
    return traced(received, () =>
      traced({ name: 'accept' }, async (span) => {
        const accepted = await this.#accept(request, resolved, settings);
        const { receipt, isReplay } = accepted;
        span.set({ 'hooks.event.id': receipt.eventId, 'hooks.event.is_repeat': isReplay });
        return accepted;
      }),
    );
  }

  async #accept(
    request: HookRequest,
    resolved: ResolvedHook,
    settings: ResolvedHooksOptions,
  ): Promise<Accepted> {
    const limits = limitsFor(request, resolved, settings, this.agents);
    const event = toNewEvent(request, resolved, settings);
    const acceptance = await this.#store(event, limits);
    switch (acceptance.outcome) {
      case 'accepted':
        return { receipt: acceptance.receipt, isReplay: false };
      case 'replayed':
        return { receipt: acceptance.receipt, isReplay: true };
      case 'conflict':
        throw new Rejection(
          isOfSignedText(acceptance.scope) ? 'signature_reused' : 'idempotency_conflict',
        );
      case 'full':
        throw new Rejection('event_queue_full');
      case 'hook-full':
        throw new Rejection('hook_queue_full');
      case 'over-budget':
        throw new Rejection('budget_used_up', '', secondsUntil(acceptance.until, request));
      case 'paused':
        throw new Rejection('paused');
      default:
        return acceptance satisfies never;
    }
  }

  async #store(event: NewEvent, limits: AcceptLimits): Promise<Acceptance> {
    try {
      const { replayOf } = event.request;
      const stored = replayOf === undefined ? event : await this.#asReplay(event, replayOf);
      return await this.intake.accept(stored, limits);
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw new Rejection('store_unavailable');
      throw error;
    }
  }

  /** A replay takes effect whatever came before it, and says whether one of its keys has done so since. */
  async #asReplay({ keys = [], ...event }: NewEvent, replayOf: string): Promise<NewEvent> {
    const ofActions = event.actions.map(({ dedupeKey }) => dedupeKey);
    const all = [...keys, ...ofActions].filter((key) => key !== undefined);
    const holders = await Promise.all(all.map((key) => this.intake.holderOf(key)));
    // Ids are in the order of time.
    const later = new Set(holders.filter((id) => id !== null && id > replayOf));
    const warnings = Array.from(
      later,
      (id) => `the same idempotency key ran since as event ${id}; this replay runs it once more`,
    );
    return {
      ...event,
      warnings: [...event.warnings, ...warnings],
      actions: event.actions.map(({ dedupeKey: _key, ...action }) => action),
    };
  }
}

function limitsFor(
  request: HookRequest,
  resolved: ResolvedHook,
  { agents, hooks }: ResolvedHooksOptions,
  directory: AgentDirectory,
): AcceptLimits {
  const { maxSystemEvents, maxSystemEventsPerHook = Math.ceil(maxSystemEvents / 2) } =
    agents.defaults;
  const { maxQueued } = resolved;
  const limits = { maxSystemEvents, maxSystemEventsOfHook: maxSystemEventsPerHook, maxQueued };
  const refusing = hooks.budgets.filter(({ then }) => then === 'refuse');
  const budgets = budgetsOf(refusing, request, resolved, directory);
  return budgets.length === 0 ? limits : { ...limits, budgets: budgets.map(budgetMeter) };
}

export function budgetsOf(
  budgets: readonly BudgetOptions[],
  { verifiedBy: sender }: Pick<HookRequest, 'verifiedBy'>,
  { actions, mapping, hook: name }: ResolvedHook,
  agents: AgentDirectory,
): readonly BudgetOptions[] {
  if (budgets.length === 0) return budgets;
  const hook = mapping ?? name;
  const runs = actions.flatMap((one) =>
    one.kind === 'agent' ? [agents.resolve(one.agentId)] : [],
  );
  return budgets.filter((budget) =>
    runs.some((agent) => concernsBudget(budget, { kind: 'run', hook, name, agent, sender })),
  );
}

/** For `Retry-After`: what is over then was still used when the request came. */
function secondsUntil(until: number, { receivedAt }: HookRequest): number {
  return Math.max(1, Math.ceil((until - receivedAt) / 1000));
}

function toNewEvent(
  request: HookRequest,
  resolved: ResolvedHook,
  { hooks }: ResolvedHooksOptions,
): NewEvent {
  const { hook, mapping, actions, warnings, console, redaction, skipped, failure } = resolved;
  const {
    name: path,
    query,
    headers,
    client,
    verifiedBy,
    signature,
    replayOf,
    payloadText,
    receivedAt,
  } = request;
  const id = newId();
  const flow = { hook: mapping ?? hook, sender: verifiedBy };
  const trace = activeTrace() ?? asTraceparent(headers['traceparent']);
  const round = readRound(headers[ROUND_HEADER]);
  const { keys, byAction } = keysOf(request, resolved, hooks.idempotencyHours);
  return {
    v: 1,
    id,
    hook,
    receivedAt,
    request: { path, query, headers, client, verifiedBy, signature, replayOf },
    payload: payloadText,
    warnings,
    actions: actions.map((action, at) => {
      const written = toNewAction(action, { id, hook, receivedAt, trace, round }, flow);
      const dedupeKey = byAction[at];
      return dedupeKey === undefined ? written : { ...written, dedupeKey };
    }),
    mapping,
    skipped,
    failure: failure?.text,
    console,
    redaction,
    ...(keys.length > 0 && { keys }),
  };
}

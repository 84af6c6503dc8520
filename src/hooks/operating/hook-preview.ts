import { Injectable } from '@nestjs/common';
import { budgetsOf } from '../actions/accept.ts';
import type { ResolvedHook } from '../actions/accept.ts';
import { toNewAction } from '../actions/new-action.ts';
import type { HookAction } from '../actions/hook-action.ts';
import { builtInHook } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { withSignalsOf } from '../actions/shown-action.ts';
import { isCredential } from '../../platform/credentials.ts';
import { dayAndTime } from '../../platform/time.ts';
import { HookIngress } from '../http/hook-ingress.ts';
import { PathRules } from '../http/path-rules.ts';
import { signedBy } from '../http/request.ts';
import { asSent, storedHookRequest } from '../http/stored-request.ts';
import type { KeptRequest, RequestTime } from '../http/stored-request.ts';
import type { MatchExplanation } from '../mappings/match.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { HooksSettings, budgetMeter, describeBudget } from '../options/index.ts';
import type { BudgetOptions, Problem, ResolvedHooksOptions } from '../options/index.ts';
import { draftMapping } from './mapping-draft.ts';
import { AgentDirectory, Clock, DOLLAR, EventStore, HANDLER, LedgerAdmin } from '../ports/index.ts';
import type { BudgetUse, Change, RunJob } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import type { RejectionCode } from '../ports/rejection.ts';
import { toHookRequest } from './requests-without-http.ts';
import type { OwnRequest } from './requests-without-http.ts';
import { buildPrompt } from '../work/run-prompt.ts';
import { DeliveryStep } from '../work/delivery.ts';
import { SessionStore, showSystemEvents } from '../work/session.ts';

/** A request that was never sent. */
export interface PreviewRequest {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  readonly hook: string;
  /** Any JSON value; to a path that takes forms or texts also the body itself, as a text. */
  readonly payload: unknown;
  /** Credentials are left out, as from a real request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A mapping as the configuration would have it, which is tried among those in force and kept nowhere. */
  readonly mapping?: unknown;
}

/** What would become of a request, without any of it. */
export interface Preview {
  readonly hook: string;
  /** Id of the mapping that takes it; null for the built-in hooks, and when none does. */
  readonly mapping: string | null;
  /** Every mapping in the order they are tried, and why it takes the request or not. Empty for the built-in hooks. */
  readonly considered: readonly MatchExplanation[];
  readonly actions: readonly PreviewedAction[];
  /** What the rules of the mapping do to its runs and messages, and how the budgets stand that its runs are of, a sentence each. */
  readonly rules: readonly string[];
  readonly warnings: readonly string[];
  /** What the transform wrote to its console. */
  readonly console: readonly string[];
  /** Why there would be nothing to do; null: there would be something, or a refusal. */
  readonly skipped: string | null;
  /** What the sender would be refused with. */
  readonly refusal: PreviewedRefusal | null;
  /** Why the mapping or its transform broke: what the event's details would say, and the sender would not learn. */
  readonly failure: string | null;
  /** Milliseconds that resolving the request took. */
  readonly ms: number;
  /**
   * What is to be said of the mapping of the request, by its place: `mapping.channel` and the like, or that of another
   * mapping that it would make wrong. Null: the request had none. With problems, nothing else was looked at.
   */
  readonly draft: {
    readonly problems: readonly Problem[];
    readonly warnings: readonly Problem[];
  } | null;
}

/** The fields of the action as the event's details would show them, and what the agent or the recipient would read. */
export interface PreviewedAction {
  readonly kind: HookAction['kind'];
  /** Word for word, but for the ids of the safety boundary, which are fresh each time. Empty: no agent is asked. */
  readonly prompt: string;
  /** The messages of one that is delivered without an agent, as its channel would send them. */
  readonly messages?: readonly string[];
  /** Where they would go, or why they would not. */
  readonly delivery?: string;
  /** What it costs, where that is more than its run. */
  readonly costs?: string;
  readonly [field: string]: unknown;
}

/** What the sender would be answered. */
export interface PreviewedRefusal {
  readonly status: number;
  readonly code: RejectionCode;
  readonly error: string;
}

/** Says what would become of a request, by the code that would make it happen, and has no effect whatsoever. */
@Injectable()
export class HookPreview {
  constructor(
    private readonly ingress: HookIngress,
    private readonly mappings: MappingService,
    private readonly rules: PathRules,
    private readonly events: EventStore,
    private readonly sessions: SessionStore,
    private readonly delivery: DeliveryStep,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
    private readonly agents: AgentDirectory,
    private readonly admin: LedgerAdmin,
  ) {}

  /** As if it had been sent with a right token, or a right signature where the path asks for one. */
  async of({ mapping, ...request }: PreviewRequest): Promise<Preview> {
    if (mapping === undefined) return this.#of(request, this.settings.current, null);
    const { settings, draft } = await draftMapping(mapping, this.settings);
    if (draft.problems.length === 0) return this.#of(request, settings, draft);
    return { ...NOTHING, hook: request.hook, ...NOT_MATCHED, ms: 0, draft };
  }

  async #of(
    asked: OwnRequest,
    settings: ResolvedHooksOptions,
    draft: Preview['draft'],
  ): Promise<Preview> {
    const rule = this.rules.get(settings, asked.hook);
    const { signer } = rule ?? {};
    const verifiedBy =
      signer === undefined
        ? 'token'
        : signedBy(signer.verifier.scheme.id, signer.secrets[0]?.sender);
    const context = { settings, rule, verifiedBy, client: 'preview', receivedAt: this.clock.now() };
    const request = await orRejection(() => toHookRequest(asked, context));
    if (request instanceof Rejection) {
      return refused({ hook: asked.hook, ms: 0, ...NOT_MATCHED, draft }, request);
    }
    return this.#preview(request, draft);
  }

  /** What would become of an earlier event's request today. `pruned`: its payload was forgotten. */
  async ofEvent(eventId: string): Promise<Preview | 'unknown' | 'pruned'> {
    const now = { settings: this.settings.current, receivedAt: this.clock.now() };
    const request = await storedHookRequest(this.events, eventId, now);
    return typeof request === 'string' ? request : this.#preview(request, null);
  }

  /** The same at another time and by other settings; how budgets stand is not told. */
  async ofStored({ request, payload }: KeptRequest, at: RequestTime): Promise<Preview> {
    const sent = asSent(request, payload, at);
    if (at.settings.hooks.enabled) return this.#preview(sent, null, false);
    const about = { hook: sent.name, ...NOT_MATCHED, ms: 0, draft: null };
    return refused(about, new Rejection('unknown_hook'));
  }

  /** @param isNow how budgets stand is told */
  async #preview(request: HookRequest, draft: Preview['draft'], isNow = true): Promise<Preview> {
    const { name } = request;
    const isBuiltIn = builtInHook(name, request.settings) !== undefined;
    const considered = isBuiltIn ? [] : this.mappings.explainMatch(request, isCredential);
    const began = performance.now();
    const resolved = await orRejection(() => this.ingress.resolve(request));
    const ms = Math.round((performance.now() - began) * 1000) / 1000;
    const mapping = considered.find(({ takes }) => takes)?.mapping ?? null;
    const about = { hook: name, mapping, considered, ms, draft };
    if (resolved instanceof Rejection) return refused(about, resolved);
    const { warnings, console = [], skipped, failure } = resolved;
    const shadowed = isBuiltIn ? [] : this.mappings.explainShadowed(request);
    return {
      ...about,
      actions: await Promise.all(resolved.actions.map((one) => this.#show(one, resolved, request))),
      rules: [
        ...(isBuiltIn ? [] : this.mappings.explainRules(request)),
        ...(isNow ? await this.#budgets(request, resolved) : []),
      ],
      warnings: [...warnings, ...shadowed],
      console,
      skipped: skipped?.reason ?? null,
      refusal: failure === undefined ? null : toPreviewedRefusal(failure.rejection),
      failure: failure?.text ?? null,
    };
  }

  /** Shows an action by the same code that stores it and that will one day run it. */
  async #show(
    action: HookAction,
    { hook }: ResolvedHook,
    { receivedAt }: HookRequest,
  ): Promise<PreviewedAction> {
    const { details, changes } = toNewAction(action, { id: 'preview', hook, receivedAt });
    const { kind, dedupeKey } = action;
    const prompt = await this.#prompt(changes);
    return {
      ...withSignalsOf(details),
      kind,
      dedupeKey,
      prompt,
      ...this.#messages(changes),
      ...(costsTwice(action) && { costs: TWO_CALLS }),
    };
  }

  async #budgets(request: HookRequest, resolved: ResolvedHook): Promise<readonly string[]> {
    const { budgets: all } = request.settings.hooks;
    const budgets = budgetsOf(all, request, resolved, this.agents);
    if (budgets.length === 0) return [];
    const uses = await this.admin.budgets(budgets.map(budgetMeter));
    return budgets.map((budget, at) => explainBudget(budget, uses[at]!));
  }

  #messages(changes: readonly Change[]): Pick<PreviewedAction, 'messages' | 'delivery'> {
    const delivery = changes.find(({ type }) => type === 'delivery');
    if (delivery?.type !== 'delivery') return {};
    for (const change of changes) {
      if (change.type !== 'work' || !('deliveryId' in change.work.job)) continue;
      const { job } = change.work;
      if (job.channel === HANDLER) return { delivery: `asks ${job.to}` };
      return this.delivery.preview(job);
    }
    return { messages: [], delivery: `skipped: ${delivery.error}` };
  }

  async #prompt(changes: readonly Change[]): Promise<string> {
    for (const change of changes) {
      if (change.type === 'system-event') {
        // As the next heartbeat shows it, when nothing else waits.
        const { text, at, trust, hook } = change;
        const task = this.settings.current.agents.defaults.heartbeat.prompt;
        return `${task}\n\n${showSystemEvents([{ seq: 0, text, at, trust, hook }])}`;
      }
      if (change.type === 'work' && 'sessionMode' in change.work.job) {
        return this.#runPrompt(change.work.job);
      }
    }
    return '';
  }

  async #runPrompt(job: RunJob): Promise<string> {
    const isPersistent = job.sessionMode === 'persistent';
    return buildPrompt(job, isPersistent ? await this.sessions.read(job.session) : null);
  }
}

/** A reply that is sent is looked at once more, by a heartbeat. */
const TWO_CALLS =
  "two model calls: its run, and at once a heartbeat that looks at its summary; with wakeMode: 'next-heartbeat' one";

function costsTwice(action: HookAction): boolean {
  return action.kind === 'agent' && action.deliver !== null && action.wakeMode === 'now';
}

const NOTHING = {
  actions: [],
  rules: [],
  warnings: [],
  console: [],
  skipped: null,
  refusal: null,
  failure: null,
};

const NOT_MATCHED = { mapping: null, considered: [] };

async function orRejection<T>(ask: () => T | Promise<T>): Promise<T | Rejection> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

function refused(
  about: Pick<Preview, 'hook' | 'mapping' | 'considered' | 'ms' | 'draft'>,
  rejection: Rejection,
): Preview {
  return { ...NOTHING, ...about, refusal: toPreviewedRefusal(rejection) };
}

function toPreviewedRefusal({ status, code, message }: Rejection): PreviewedRefusal {
  return { status, code, error: message };
}

function explainBudget(budget: BudgetOptions, { used, reserved, until }: BudgetUse): string {
  const { of, then = 'hold' } = budget;
  const show = (amount: number) =>
    of === 'cost' ? `$${(amount / DOLLAR).toFixed(2)}` : amount.toLocaleString('en-US');
  const which = `the ${describeBudget(budget)}`;
  if (until !== null) {
    const what = then === 'hold' ? 'its run waits' : 'it is refused (503 budget_used_up)';
    return `${which} is used up (${show(used)}): ${what} until ${dayAndTime(until)}`;
  }
  const left = Math.max(0, budgetMeter(budget).most - used - reserved);
  const underWay = reserved > 0 ? `, ${show(reserved)} reserved by turns under way` : '';
  const wait = left === 0 ? '; its run waits for one of these to end' : '';
  return `of ${which} ${show(used)} is used${underWay}, ${show(left)} left${wait}`;
}

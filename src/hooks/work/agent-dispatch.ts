import { Injectable } from '@nestjs/common';
import { Deadline, durationMs } from '../../platform/time.ts';
import { HooksSettings, asksInVain, canAskAboutTools, toolApproval } from '../options/index.ts';
import { AgentDirectory, AgentError, AgentRunner, Clock, WorkLedger } from '../ports/index.ts';
import type {
  Agent,
  AgentFailure,
  AgentReply,
  AgentTurn,
  AgentWait,
  Approval,
  CapabilityContract,
  Destination,
  HeartbeatLease,
  ResumedTurn,
  RunDetails,
  RunLease,
  SessionContext,
  StepOutcome,
  ToolCall,
  ToolQuestion,
  Trust,
} from '../ports/index.ts';
import { BackendHealth } from './backend-health.ts';
import { Backends } from './backends.ts';
import { Budgets } from './budgets.ts';
import type { HeldTurn } from './budgets.ts';
import { HostErrors } from './host-errors.ts';
import { TURN_RETRY, mayHaveActed, nextAttempt, refusalAfterCrashes } from './retry.ts';
import { runnerSessionFor } from './session.ts';
import { Unrepeatable } from './step.ts';
import type { StepResult } from './step.ts';
import { withoutThoughts } from './thoughts.ts';

type Decided =
  | 'agent'
  | 'contract'
  | 'asks'
  | 'callbackUrl'
  | 'mayWait'
  | 'history'
  | 'maxOutputTokens'
  | 'runnerSession'
  | 'deadline'
  | 'reportToolCalls';

export interface TurnRequest extends Omit<AgentTurn, Decided> {
  readonly agentId: string;
  readonly timeoutSeconds: number;
  readonly trust: Trust;
  readonly mayDeliverTo: Destination | null;
  /** What the session brings to it; null: a session without a past. */
  readonly session: SessionContext | null;
  /** Which tool calls a person decides about. @default those that its agent says, and nobody can be asked */
  readonly approval?: Approval | null;
  readonly isOffered?: boolean;
}

export interface ResumedRun {
  readonly turn: ResumedTurn;
  readonly run: RunDetails;
}

/** A turn whose agent and contract are known and whose time has not begun to run. */
export interface PreparedTurn extends Omit<AgentTurn, 'deadline' | 'reportToolCalls'> {
  readonly timeoutSeconds: number;
}

export type TurnResult = { readonly toolCalls: readonly ToolCall[] } & (
  | { readonly outcome: 'replied'; readonly reply: AgentReply }
  | { readonly outcome: 'asks'; readonly reply: AgentReply; readonly question: ToolQuestion }
  | { readonly outcome: 'waits'; readonly reply: AgentReply; readonly wait: AgentWait }
  | {
      readonly outcome: 'failed';
      readonly error: string;
      readonly kind: AgentFailure;
      readonly retryAfterMs?: number;
      readonly concerns?: AgentError['concerns'];
      readonly backend: string;
      /** Who cannot be asked, the backend or its model, so that others wait, too. Absent: it concerns this turn alone. */
      readonly waitsFor?: string;
    }
  | { readonly outcome: 'timed-out'; readonly error: string }
  /** Cut off and not to be begun again; `hasStarted: false`: by the end of an earlier process, and nobody was asked now. */
  | { readonly outcome: 'interrupted'; readonly error: string; readonly hasStarted?: false }
  /** Cut off by a stop of the service, and begun again by the next start; `hasStarted`: the runner was asked before. */
  | { readonly outcome: 'stopped'; readonly hasStarted: boolean }
  /** Nobody was asked, because the backend rests; `error` says why. */
  | { readonly outcome: 'resting'; readonly backend: string; readonly error: string }
  | HeldTurn
);

/** A turn of which nothing more comes, unless it failed and is tried again. */
export type FinishedTurn = Exclude<
  TurnResult,
  { outcome: 'stopped' | 'resting' | 'held' | 'asks' | 'waits' }
>;

export type FailedTurn = Extract<TurnResult, { outcome: 'failed' }>;

/**
 * The one way to ask an agent: by its contract, within its budgets and its time, and never twice where it may have acted.
 * A subclass that overrides {@link take} stands before every turn of a run and of a heartbeat.
 */
@Injectable()
export class AgentDispatch {
  constructor(
    private readonly runner: AgentRunner,
    private readonly directory: AgentDirectory,
    private readonly ledger: WorkLedger,
    private readonly clock: Clock,
    private readonly hostErrors: HostErrors,
    private readonly backends: Backends,
    private readonly health: BackendHealth,
    private readonly settings: HooksSettings,
    private readonly budgets: Budgets,
  ) {}

  prepare(request: TurnRequest, lease: RunLease | HeartbeatLease): PreparedTurn {
    const {
      agentId,
      trust,
      mayDeliverTo,
      session,
      model,
      approval: _asked,
      isOffered,
      ...rest
    } = request;
    const agent = this.directory.resolve(agentId);
    // What is shown decides, not only what was sent: a waiting line or an earlier turn may be foreign where the hook is not.
    const level = session?.isUntrusted === true ? 'untrusted' : trust.level;
    return {
      ...rest,
      agent,
      model: model ?? this.backends.modelOf(agent),
      contract: contractFor({ ...trust, level }, agent, mayDeliverTo),
      asks: asksFor(request, agent, level),
      maxOutputTokens: this.budgets.maxOutputTokens(lease, agent),
      callbackUrl: this.#callbackUrl(rest.id),
      // A conversation would be shown, and consume, what came into it meanwhile.
      ...(rest.kind === 'run' &&
        session === null && { mayWait: isOffered === true ? 'offered' : 'yes' }),
      history: session?.history ?? [],
      runnerSession: runnerSessionFor(agent, session),
    };
  }

  #callbackUrl(runId: string): string | undefined {
    const { publicUrl, path } = this.settings.current.hooks;
    return publicUrl === undefined ? undefined : `${publicUrl}${path}/runs/${runId}`;
  }

  /**
   * Asks the agent, unless an earlier attempt was cut off and must not be repeated, the backend rests or a budget is used
   * up. A turn that may not be repeated is asked only once the ledger knows that it may act.
   */
  async take(
    lease: RunLease | HeartbeatLease,
    turn: PreparedTurn,
    stop: AbortSignal,
  ): Promise<TurnResult> {
    const toolCalls: readonly ToolCall[] = [];
    const refusal = lease.mayHaveActed ? mayHaveActed(lease.kind) : refusalAfterCrashes(lease);
    if (refusal !== null) {
      return { outcome: 'interrupted', error: refusal, hasStarted: false, toolCalls };
    }
    const { workId } = lease;
    const [backend, model] = this.backends.of(turn);
    for (const name of new Set([backend, model])) {
      const rests = this.health.whyItRests(name, workId);
      if (rests !== null) return { outcome: 'resting', backend: name, error: rests, toolCalls };
    }
    using visit = this.health.visit(backend, workId);
    using visitOfModel = model === backend ? visit : this.health.visit(model, workId);
    const held = await this.budgets.before(lease, turn);
    if (held instanceof AgentError) return { ...this.#failure(held), backend, toolCalls };
    if (held !== null) return { ...held, toolCalls };
    if (!this.#mayRepeat(turn) && !(await this.ledger.noteActing(lease))) {
      throw new Error('the lease was lost before the agent was asked');
    }
    const result = await this.#ask(turn, backend, stop);
    if (['replied', 'asks', 'waits'].includes(result.outcome)) {
      visit.answered();
      visitOfModel.answered();
    }
    if (result.outcome === 'failed' && ['unreachable', 'rate-limited'].includes(result.kind)) {
      const { error: message, retryAfterMs, concerns } = result;
      if (concerns === 'model' && visitOfModel !== visit) visit.answered();
      const failed = concerns === 'model' ? visitOfModel : visit;
      if (failed.failed({ message, retryAfterMs })) {
        return { ...result, waitsFor: concerns === 'model' ? model : backend };
      }
    }
    if (result.outcome !== 'stopped' || !result.hasStarted || this.#mayRepeat(turn)) return result;
    return {
      outcome: 'interrupted',
      error: mayHaveActed(lease.kind),
      toolCalls: result.toolCalls,
    };
  }

  afterFailure(lease: RunLease | HeartbeatLease, failed: FailedTurn): StepOutcome {
    const { kind, waitsFor, retryAfterMs } = failed;
    if (kind === 'permanent' || kind === 'needs-operator') return { type: 'dead' };
    const now = this.clock.now();
    const maxAgeMs = durationMs(this.settings.current.agents.defaults.retryFor);
    if (waitsFor === undefined) {
      return nextAttempt({ ...TURN_RETRY, maxAgeMs }, lease, now, retryAfterMs);
    }
    const isOver = now - lease.since >= maxAgeMs;
    return isOver ? { type: 'dead' } : { type: 'rest', backend: waitsFor, asked: true };
  }

  /**
   * Makes a step's result of a turn that was taken, with what it used. When that breaks, the step must not be tried again
   * if its agent may have acted.
   * @throws Unrepeatable then, with what broke as its cause.
   */
  async conclude(
    lease: RunLease | HeartbeatLease,
    turn: PreparedTurn,
    result: TurnResult,
    toResult: () => Promise<StepResult> | StepResult,
  ): Promise<StepResult> {
    try {
      const step = await toResult();
      const used = this.budgets.after(lease, turn, result);
      return used.length === 0 ? step : { ...step, changes: [...step.changes, ...used] };
    } catch (broken) {
      throw this.#mayRepeat(turn) ? broken : new Unrepeatable(broken);
    }
  }

  /** Whether the turn may be begun again after it was cut off. A runner that cannot say may not. */
  #mayRepeat(turn: PreparedTurn): boolean {
    try {
      return this.runner.mayRepeat(turn);
    } catch {
      return false;
    }
  }

  async #ask(
    { timeoutSeconds, ...turn }: PreparedTurn,
    backend: string,
    stop: AbortSignal,
  ): Promise<Exclude<TurnResult, { outcome: 'resting' }>> {
    let reported: () => readonly ToolCall[] = () => [];
    const reportToolCalls: AgentTurn['reportToolCalls'] = (calls) => void (reported = calls);
    const limitMs = timeoutSeconds * 1000;
    using limit = new Deadline(this.clock, limitMs, stop);
    const deadline = this.clock.now() + limitMs;
    let hasStarted = false;
    try {
      assertCanAsk(turn);
      const answer = await limit.race((signal) => {
        hasStarted = true;
        return this.runner.run({ ...turn, reportToolCalls, deadline }, signal);
      });
      const reply = spoken(answer, turn.prompt);
      const { asks: question, waits: wait } = reply;
      const toolCalls = readCalls(reported);
      if (question !== undefined && turn.asks?.canWait !== true) {
        throw new AgentError('the agent runner asks where nobody can be asked', 'permanent');
      }
      if (wait !== undefined && turn.mayWait === undefined) {
        throw new AgentError(
          'the agent waits for an event, which heartbeats and sessions that remember cannot: have its runs isolated',
          'needs-operator',
        );
      }
      if (wait !== undefined) return { outcome: 'waits', reply, wait, toolCalls };
      if (question !== undefined) return { outcome: 'asks', reply, question, toolCalls };
      return { outcome: 'replied', reply, toolCalls };
    } catch (error) {
      const toolCalls = readCalls(reported);
      if (stop.aborted) return { outcome: 'stopped', hasStarted, toolCalls };
      if (!limit.hasPassed) return { ...this.#failure(error), backend, toolCalls };
      return { outcome: 'timed-out', error: `no reply within ${timeoutSeconds} s`, toolCalls };
    }
  }

  #failure(error: unknown) {
    if (error instanceof AgentError) {
      const { message, kind, retryAfterMs, concerns } = error;
      return { outcome: 'failed', error: message, kind, retryAfterMs, concerns } as const;
    }
    this.hostErrors.report('the agent runner', error, 'an AgentError');
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { outcome: 'failed', error: reason, kind: 'permanent' } as const;
  }
}

/** What a turn of this agent may do: shown foreign text, it has no tool but those the operator listed for that. */
function contractFor(
  { level, verifiedBy, mapping }: Trust,
  { tools }: Agent,
  mayDeliverTo: Destination | null,
): CapabilityContract {
  const allowedTools = level === 'trusted' ? 'all' : (tools?.untrusted ?? []);
  return { trust: level, verifiedBy, mapping, allowedTools, mayDeliverTo };
}

/** About which tool calls somebody has to be asked, who cannot be asked where a turn cannot wait. */
function asksFor(
  { kind, approval, session }: TurnRequest,
  { approve }: Agent,
  level: Trust['level'],
): AgentTurn['asks'] {
  const tools = kind === 'run' ? approval?.tools : toolApproval(approve);
  if (tools === undefined || (tools.when === 'when-untrusted' && level === 'trusted'))
    return undefined;
  // A conversation would be shown, and consume, what came into it meanwhile.
  return { tools: tools.names, canWait: kind === 'run' && session === null };
}

/** @throws AgentError where a mapping asks about the tools of an agent that would call them unasked */
function assertCanAsk({ agent, asks }: Pick<AgentTurn, 'agent' | 'asks'>): void {
  if (asks === undefined || canAskAboutTools(agent.runner)) return;
  throw new AgentError(`approve ${asksInVain(agent.id)}`, 'needs-operator');
}

/** The one place where what an agent answers becomes its reply, whoever runs it. */
function spoken(answer: AgentReply, prompt: string): AgentReply {
  const text = withoutThoughts(answer.text, prompt);
  if (text === answer.text) return answer;
  const { warnings = [] } = answer;
  return { ...answer, text, warnings: text === '' ? [...warnings, ONLY_THOUGHTS] : warnings };
}

const ONLY_THOUGHTS = 'The answer was a thought and nothing else.';

/** A runner that cannot name its calls costs the record those, not the turn its end: it would be begun again. */
function readCalls(reported: () => readonly ToolCall[]): readonly ToolCall[] {
  try {
    return reported();
  } catch {
    return [];
  }
}

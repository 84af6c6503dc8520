// What would become of events that were stored, in an application of its own that nobody sends to and that speaks to
// nobody (service/simulation): the code that accepts them and does their work, without HTTP.
import { Injectable } from '@nestjs/common';
import { limitsFor, toNewEvent } from '../actions/accept.ts';
import type { ResolvedHook } from '../actions/accept.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { HookIngress } from '../http/hook-ingress.ts';
import { runIdIn } from '../http/run-question.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { HooksSettings } from '../options/index.ts';
import { AgentDirectory, CALLBACK, Intake } from '../ports/index.ts';
import type { Acceptance, EventRequest, NewEvent } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { WorkLoop } from '../work/work-loop.ts';
import { asSent } from './requests-without-http.ts';

/** A request as it was stored. */
export interface SimulatedRequest {
  readonly request: EventRequest;
  /** JSON text. */
  readonly payload: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

/** A line for an agent, as a request means it. */
export interface SimulatedWake {
  readonly agentId: string;
  readonly mode: 'now' | 'next-heartbeat';
  readonly text: string;
  readonly isTrusted: boolean;
}

/** What a request means by a configuration; nothing has happened yet. */
export interface SimulatedMeaning {
  readonly verdict: 'accepted' | 'skipped' | 'refused' | 'failed';
  /** Why it is none that was accepted. */
  readonly why?: string | undefined;
  /** Id of the mapping that takes it; absent: none does, or it is of a built-in hook. */
  readonly mapping?: string | undefined;
  readonly wakes: readonly SimulatedWake[];
  /** Makes it durable. Null: there is nothing to be stored but lines that no repeat can be known of. */
  readonly accept: (() => Promise<{ event: NewEvent; acceptance: Acceptance }>) | null;
}

/** Accepts stored events on a clock that the simulation owns, and does their work. */
@Injectable()
export class EventSimulation {
  constructor(
    private readonly ingress: HookIngress,
    private readonly mappings: MappingService,
    private readonly settings: HooksSettings,
    private readonly intake: Intake,
    private readonly work: WorkLoop,
    private readonly agents: AgentDirectory,
  ) {}

  /** Begins to do what is accepted. Neither periodic heartbeats nor retention are begun. */
  start(): void {
    this.work.start(() => this.mappings.runPlaces(this.settings.current));
  }

  /** Whether nothing can be said of it: an agent's callback belongs to a run of the past. */
  static isCallback({ verifiedBy, path }: EventRequest): boolean {
    return verifiedBy === CALLBACK && runIdIn(path) !== undefined;
  }

  async meaningOf({ request, payload, receivedAt }: SimulatedRequest): Promise<SimulatedMeaning> {
    const settings = this.settings.current;
    if (!settings.hooks.enabled) return refused(new Rejection('unknown_hook'));
    try {
      const sent = asSent(request, payload, { settings, receivedAt });
      return this.#meaning(sent, await this.ingress.resolve(sent));
    } catch (error) {
      if (error instanceof Rejection) return refused(error);
      throw error;
    }
  }

  #meaning(request: HookRequest, resolved: ResolvedHook): SimulatedMeaning {
    const { mapping, actions, skipped, failure } = resolved;
    const wakes = actions.flatMap((action) => {
      if (action.kind !== 'wake') return [];
      const { agentId, mode, text, trust } = action;
      return { agentId, mode, text, isTrusted: trust.level === 'trusted' };
    });
    if (failure !== undefined) {
      return { verdict: 'failed', why: failure.text, mapping, wakes, accept: null };
    }
    const verdict = skipped === undefined ? 'accepted' : 'skipped';
    const about = { verdict, why: skipped?.reason, mapping, wakes } as const;
    if (wakes.length < actions.length)
      return { ...about, accept: this.#accepting(request, resolved) };
    // Of a built-in hook without a key of its sender there is nothing by which a repeat is known.
    const isPlain = mapping === undefined && resolved.idempotencyKey === undefined;
    if (isPlain) return { ...about, accept: null };
    const event = toNewEvent(request, resolved, request.settings);
    const hasKey = event.keys !== undefined || event.actions.some(({ dedupeKey }) => dedupeKey);
    return { ...about, accept: hasKey ? this.#accepting(request, resolved, event) : null };
  }

  #accepting(
    request: HookRequest,
    resolved: ResolvedHook,
    event = toNewEvent(request, resolved, request.settings),
  ): NonNullable<SimulatedMeaning['accept']> {
    const limits = limitsFor(request, resolved, request.settings, this.agents);
    return async () => ({ event, acceptance: await this.intake.accept(event, limits) });
  }
}

function refused({ code }: Rejection): SimulatedMeaning {
  return { verdict: 'refused', why: code, wakes: [], accept: null };
}

import { Injectable, Logger } from '@nestjs/common';
import { EventAcceptance } from '../actions/accept.ts';
import type { ResolvedHook } from '../actions/accept.ts';
import { ActionResolver } from '../actions/action-resolver.ts';
import { bareName, builtInHook } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from '../mappings/mapping.ts';
import type { DeclinedRequest } from '../mappings/match.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { exposesAgentReplies } from '../options/index.ts';
import { CALLBACK } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { TransformFailure } from '../transforms/result.ts';
import { toAnswer, toRefusal } from './answer.ts';
import type { HookAnswer } from './hook-call.ts';
import { AgentPayload } from './dto/agent-payload.ts';
import { WakePayload } from './dto/wake-payload.ts';
import { checkPayload, unknownFields } from './payload-rules.ts';
import { RunCallbacks } from './run-callbacks.ts';
import { runIdIn } from './run-question.ts';

@Injectable()
export class HookIngress {
  readonly #logger = new Logger('Hooks');

  constructor(
    private readonly resolver: ActionResolver,
    private readonly mappings: MappingService,
    private readonly acceptance: EventAcceptance,
    private readonly callbacks: RunCallbacks,
  ) {}

  /** Nothing happens yet. Built-ins are exact and win over mappings of the same name. @throws Rejection */
  async resolve(request: HookRequest): Promise<ResolvedHook> {
    const { payload } = request;
    if (request.verifiedBy === CALLBACK && runIdIn(request.name) !== undefined) {
      return this.callbacks.resolve(request);
    }
    const builtIn = builtInHook(request.name, request.settings);
    if (builtIn === 'wake') return this.resolveWake(request, checkPayload(payload, WakePayload));
    if (builtIn === 'agent') return this.resolveRun(request, checkPayload(payload, AgentPayload));
    const mapping = this.mappings.match(request);
    if (mapping === null) throw new Rejection('unknown_hook');
    return this.resolveMapped(request, mapping);
  }

  /** @throws Rejection */
  resolveWake(request: HookRequest, { text, mode }: WakePayload): ResolvedHook {
    const warnings = unknownFields(request.payload, WakePayload);
    const trust = { level: 'untrusted', verifiedBy: request.verifiedBy } as const;
    const { action } = this.resolver.wake({ text, mode, trust }, request.settings);
    return { hook: 'wake', actions: [action], warnings, idempotencyKey: request.idempotencyKey };
  }

  /** The header's idempotency key wins over the payload's. @throws Rejection */
  async resolveRun(request: HookRequest, payload: AgentPayload): Promise<ResolvedHook> {
    const { sessionKey, idempotencyKey, ...asked } = payload;
    const requested = {
      ...asked,
      source: 'agent',
      trust: { level: 'untrusted', verifiedBy: request.verifiedBy } as const,
      exposeReply: exposesAgentReplies(request.settings),
      ...(sessionKey !== undefined && {
        sessionKey: { key: sessionKey, from: 'request' } as const,
      }),
    };
    const resolved = await this.resolver.run(requested, request.settings);
    return {
      hook: 'agent',
      maxQueued: request.settings.hooks.agentLimits.maxQueued,
      actions: [resolved.action],
      warnings: [...unknownFields(request.payload, AgentPayload), ...resolved.warnings],
      idempotencyKey: request.idempotencyKey ?? idempotencyKey,
    };
  }

  /** A mapping that breaks is a result, too: kept as failed, to be replayed. @throws Rejection when it refused */
  async resolveMapped(
    request: HookRequest,
    mapping: CompiledMapping | DeclinedRequest,
  ): Promise<ResolvedHook> {
    const { name, idempotencyKey } = request;
    if ('reason' in mapping) {
      const skipped = { reason: mapping.reason, isSilent: false };
      return { hook: bareName(name), actions: [], skipped, warnings: [], idempotencyKey };
    }
    const { id, redaction, options } = mapping;
    const { maxQueued } = options;
    const hook = { hook: bareName(name), mapping: id, redaction, maxQueued };
    try {
      const { skipped, ...applied } = await this.mappings.apply(mapping, request);
      const receipt = skipped && {
        reason: skipped.reason,
        isSilent: skipped.byTransform && hasToken(request),
      };
      return { ...hook, ...applied, ...(receipt && { skipped: receipt }), idempotencyKey };
    } catch (error) {
      if (error instanceof Rejection) throw error;
      const { summary, console, ...failure } = describeFailure(error);
      this.#logger.error(`mapping ${mapping.id} failed: ${summary}`);
      return { ...hook, actions: [], warnings: [], console, failure };
    }
  }

  /** Makes it durable, then answers. @throws Rejection when nothing was stored. */
  async accept(request: HookRequest, resolved: ResolvedHook): Promise<HookAnswer> {
    const accepted = await this.acceptance.accept(request, resolved, request.settings);
    const { failure } = resolved;
    return failure === undefined
      ? toAnswer(accepted)
      : toRefusal(failure.rejection, accepted.receipt.eventId);
  }
}

/** Senders that sign may take a 204 for a failure and send again; those that send a token know it of old. */
function hasToken({ verifiedBy }: HookRequest): boolean {
  return verifiedBy === 'token' || verifiedBy.startsWith('token ');
}

/** What sender, log and event details are told of a failure: the text of an error is for the details only. */
function describeFailure(error: unknown): {
  rejection: Rejection;
  summary: string;
  text: string;
  console: readonly string[];
} {
  if (error instanceof TransformFailure) {
    const { code, summary, message, console } = error;
    return {
      rejection: new Rejection(code),
      summary: `transform, ${summary}`,
      text: message,
      console,
    };
  }
  const summary = error instanceof Error ? error.name : typeof error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { rejection: new Rejection('mapping_failed'), summary, text, console: [] };
}

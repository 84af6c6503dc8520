import { Injectable } from '@nestjs/common';
import type { ResolvedHook } from './actions/accept.ts';
import { limitKey } from './actions/idempotency.ts';
import type { HookRequest } from './actions/hook-request.ts';
import { HooksEngine } from './hooks-engine.ts';
import type { HookAnswer } from './http/hook-call.ts';
import { HookIngress } from './http/hook-ingress.ts';
import type { AgentPayload } from './http/dto/agent-payload.ts';
import type { WakePayload } from './http/dto/wake-payload.ts';
import { HooksSettings, isWaitingTime, toAwaited } from './options/index.ts';
import { Clock } from './ports/index.ts';
import type { WaitForOption } from './ports/index.ts';
import { Rejection } from './ports/rejection.ts';

/** What became of a call: durable, and answered as a sender would be. */
export interface HookReceipt {
  readonly eventId: string;
  /** Of the first run; absent for a wake, and when there is nothing to do. */
  readonly runId?: string;
  /** Of every run, when a mapping made several. */
  readonly runIds?: readonly string[];
  /** Of the first message of a mapping that delivers. */
  readonly deliveryId?: string;
  /** Of every message, when there are several. */
  readonly deliveryIds?: readonly string[];
  /** Why there is nothing to do. */
  readonly reason?: string;
  /** What the caller should know, e.g. fields that nobody reads. */
  readonly warnings?: readonly string[];
}

/** How a run is asked for from code. */
export interface RunOptions {
  /** A call with the same key and payload runs once. */
  readonly idempotencyKey?: string;
  /** The event that it waits for: before it begins, or without `key` while its agent says so. */
  readonly waitFor?: WaitForOption;
}

/**
 * The hooks from code: a cron job, another controller or a script wakes and runs agents through the same policies, the
 * same ledger and with the same receipt as a sender over HTTP. Its texts are foreign to the agent all the same: they
 * stand inside the safety boundary, verified by `application`.
 * @example await hooks.wake({ text: 'The nightly build is green' });
 */
@Injectable()
export class Hooks {
  constructor(
    private readonly engine: HooksEngine,
    private readonly ingress: HookIngress,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** As `POST {path}/wake`. @throws Rejection with what is not allowed; nothing was stored then. */
  wake(payload: WakePayload, options?: { idempotencyKey?: string }): Promise<HookReceipt> {
    return this.send('wake', payload, options);
  }

  /** As `POST {path}/agent`; with `waitFor.key` it begins once that event has come. @throws Rejection with what is not allowed; nothing was stored then. */
  run(payload: AgentPayload, options?: RunOptions): Promise<HookReceipt> {
    return this.#send('agent', payload, options);
  }

  /**
   * As `POST {path}/{name}`: through the mapping that takes it. `hooks.enabled` is about HTTP, this works without.
   * @param payload any JSON value
   * @throws Rejection with what is not allowed; nothing was stored then. When the mapping broke, the event is kept as
   * failed, and the rejection says so.
   */
  send(
    name: string,
    payload: unknown,
    options?: { idempotencyKey?: string },
  ): Promise<HookReceipt> {
    return this.#send(name, payload, options);
  }

  async #send(
    name: string,
    payload: unknown,
    { idempotencyKey, waitFor }: RunOptions = {},
  ): Promise<HookReceipt> {
    await this.engine.start();
    const request: HookRequest = {
      name,
      payload,
      payloadText: JSON.stringify(payload),
      headers: {},
      query: {},
      client: 'application',
      verifiedBy: 'application',
      receivedAt: this.clock.now(),
      settings: this.settings.current,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    const asked = await this.ingress.resolve(request);
    const resolved = waitFor === undefined ? asked : waiting(asked, waitFor);
    const { eventId, body = {} } = await this.ingress.accept(request, resolved);
    if (resolved.failure !== undefined) throw resolved.failure.rejection;
    return toReceipt(eventId, body);
  }
}

/** @throws Rejection for a time that nothing may wait */
function waiting(hook: ResolvedHook, waitFor: WaitForOption): ResolvedHook {
  const { key, until = '24h' } = waitFor;
  if (!isWaitingTime(until)) {
    throw new Rejection('invalid_payload', 'waitFor.until must be a duration from 1m to 2160h');
  }
  const awaited = toAwaited(waitFor, key === undefined ? undefined : limitKey(key));
  const actions = hook.actions.map((action) =>
    action.kind === 'agent' ? { ...action, waitFor: awaited } : action,
  );
  return { ...hook, actions };
}

function toReceipt(eventId = '', body: NonNullable<HookAnswer['body']>): HookReceipt {
  const { runId, runIds, deliveryId, deliveryIds, reason, warnings } = body;
  return {
    eventId,
    ...(typeof runId === 'string' && { runId }),
    ...(Array.isArray(runIds) && { runIds: runIds.map(String) }),
    ...(typeof deliveryId === 'string' && { deliveryId }),
    ...(Array.isArray(deliveryIds) && { deliveryIds: deliveryIds.map(String) }),
    ...(typeof reason === 'string' && { reason }),
    ...(Array.isArray(warnings) && { warnings: warnings.map(String) }),
  };
}

import { HttpException, Injectable } from '@nestjs/common';
import { activeTrace } from '../../platform/tracing.ts';
import { isRecord } from '../../platform/objects.ts';
import { Deadline } from '../../platform/time.ts';
import type { ResolvedAction } from '../actions/action-resolver.ts';
import { toNewAction } from '../actions/new-action.ts';
import { HookValidationPipe } from '../http/hook-validation.pipe.ts';
import { storedHookRequest } from '../http/stored-request.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, EventStore, HandlerDoor, ROUND_HEADER, readRound } from '../ports/index.ts';
import type { Change, Handled, HandlerJob } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { InvalidResult } from '../transforms/result.ts';
import { HookHandlers } from './hook-handlers.ts';
import type { HookHandler } from './hook-handlers.ts';
import type { HookEvent, HookResult } from './on-hook.ts';

/** Calls handlers and turns their results into changes, by the mapping of the hook, like a transform's result. */
@Injectable()
export class HandlerCalls extends HandlerDoor {
  constructor(
    private readonly handlers: HookHandlers,
    private readonly validation: HookValidationPipe,
    private readonly mappings: MappingService,
    private readonly events: EventStore,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  override get hooks(): readonly string[] {
    return [...this.handlers.names.keys()];
  }

  override async call(job: HandlerJob, attempt: number, stop: AbortSignal): Promise<Handled> {
    const handler = this.handlers.get(job.hook);
    if (handler === undefined) return { outcome: 'missing' };
    const { eventId, hook, receivedAt } = job;
    const context = { settings: this.settings.current, receivedAt };
    const request = await storedHookRequest(this.events, eventId, context);
    if (typeof request === 'string') return refused('its payload is gone');
    const { verifiedBy: sender } = request;
    // Its own to change; numbers of many digits are plain ones there, as for transforms.
    const own = JSON.stringify({ headers: request.headers, payload: request.payload });
    const { headers, payload }: Pick<HookEvent, 'headers' | 'payload'> = JSON.parse(own);
    const event = { id: eventId, hook, sender, headers, payload, attempt };
    let returned: HookResult;
    try {
      returned = await this.#ask(handler, event, stop);
    } catch (error) {
      if (error instanceof InvalidPayload) return refused(error.message);
      throw error;
    }
    if (isRecord(returned) && returned['kind'] === 'skip')
      return { outcome: 'skipped', reason: String(returned['reason']) };
    try {
      const resolved = await this.mappings.decide(hook, request, returned);
      if (resolved === null) return refused(`no mapping has the id ${hook} any more`);
      return toHandled(resolved, job, readRound(request.headers[ROUND_HEADER]));
    } catch (error) {
      if (error instanceof Rejection) return refused(error.message);
      if (!(error instanceof InvalidResult)) throw error;
      return refused(`${handler.name} returned what is no action: ${error.message}`);
    }
  }

  /** @throws InvalidPayload; Error on the timeout, which validation counts towards; what the handler throws */
  async #ask(
    handler: HookHandler,
    event: Omit<HookEvent, 'signal'>,
    stop: AbortSignal,
  ): Promise<HookResult> {
    using deadline = new Deadline(this.clock, handler.timeoutMs, stop);
    try {
      return await deadline.race(async (signal) => {
        const payload = await this.#validate(event.payload, handler);
        signal.throwIfAborted();
        return handler.call({ ...event, payload, signal });
      });
    } catch (error) {
      if (!deadline.hasPassed) throw error;
      const words = `${handler.name} did not end within ${handler.timeoutMs / 1000} s`;
      throw new Error(words, { cause: error });
    }
  }

  async #validate(payload: unknown, { payload: metatype }: HookHandler): Promise<unknown> {
    if (metatype === undefined) return payload;
    try {
      return await this.validation.transform(payload, { metatype });
    } catch (error) {
      const { cause = error } = error instanceof HttpException ? error : {};
      throw cause instanceof Rejection ? new InvalidPayload(cause.message) : error;
    }
  }
}

class InvalidPayload extends Error {}

function refused(reason: string): Handled {
  return { outcome: 'refused', reason };
}

function toHandled(
  resolved: readonly ResolvedAction[],
  { eventId: id, hook, path, receivedAt, trust, trace }: HandlerJob,
  round: number | undefined,
): Handled {
  const event = { id, hook: path, receivedAt, trace: activeTrace() ?? trace, round };
  const flow = { hook, sender: trust.verifiedBy };
  const changes: Change[] = resolved.flatMap(
    ({ action }) => toNewAction(action, event, flow).changes,
  );
  const warnings = new Set(resolved.flatMap((one) => one.warnings));
  return { outcome: 'delivered', changes, reason: [...warnings].join('; ') };
}

import { Injectable } from '@nestjs/common';
import { newId } from '../platform/new-id.ts';
import { HookIngress } from './http/hook-ingress.ts';
import { PathRules } from './http/path-rules.ts';
import { getIdempotencyKey } from './http/request.ts';
import type { HookAnswer } from './http/request-context.ts';
import { HooksSettings } from './options/index.ts';
import { toHookRequest } from './own-request.ts';
import type { OwnRequest } from './own-request.ts';
import { Clock } from './ports/index.ts';
import { Rejection } from './rejection.ts';

/**
 * Who sent a request that no sender proved: stories, and agents in their prompts, are told so. A token of
 * `hooks.tokens` shows as `token <id>`, so that no sender can be taken for the operator.
 */
const OPERATOR = 'operator';

/** Sends a request that an operator wrote, by the same way as everybody's once it was verified. */
@Injectable()
export class OperatorRequest {
  constructor(
    private readonly ingress: HookIngress,
    private readonly rules: PathRules,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * As an event of its own, unless its headers have an idempotency key.
   * @throws Rejection when the present configuration refuses it.
   */
  async send(own: OwnRequest): Promise<HookAnswer> {
    const settings = this.settings.current;
    const { hooks } = settings;
    if (!hooks.enabled) throw new Rejection('unknown_hook');
    const rule = this.rules.get(settings, own.hook);
    const receivedAt = this.clock.now();
    const context = { settings, rule, client: OPERATOR, verifiedBy: OPERATOR, receivedAt };
    const written = toHookRequest(own, context);
    const most = rule?.limits.maxBodyBytes ?? hooks.maxBodyBytes;
    if (Buffer.byteLength(written.payloadText) > most) {
      throw new Rejection('payload_too_large', String(most));
    }
    const idempotencyKey = getIdempotencyKey(written.headers) ?? newId();
    const request = { ...written, idempotencyKey };
    return this.ingress.accept(request, await this.ingress.resolve(request));
  }
}

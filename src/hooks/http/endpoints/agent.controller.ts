import { Injectable } from '@nestjs/common';
import { EventAcceptance } from '../../accept/event-acceptance.ts';
import { AgentDispatch } from '../../ingest/agent-dispatch.ts';
import type { AgentWish } from '../../ingest/agent-dispatch.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import type { Answer } from '../answer.ts';
import { AgentPayload } from '../dto/agent-payload.ts';
import { HookValidationPipe } from '../dto/hook-validation.pipe.ts';
import { answerTo } from './answer-to.ts';
import { eventOf } from './event-of.ts';

/** `POST {hooks.path}/agent`: one isolated agent run. */
@Injectable()
export class AgentController {
  readonly #payload = new HookValidationPipe(AgentPayload);

  constructor(
    private readonly dispatch: AgentDispatch,
    private readonly acceptance: EventAcceptance,
  ) {}

  /** @throws Rejection */
  async handle(request: HookRequest, settings: ResolvedHooksOptions): Promise<Answer> {
    const { value, warnings } = this.#payload.transform(request.payload);
    const dispatched = this.dispatch.agent(wishOf(value, request), settings);
    const told = [...warnings, ...dispatched.warnings];
    const event = eventOf(request, 'agent', [dispatched.action], told, value.idempotencyKey);
    return answerTo(await this.acceptance.accept(event, settings));
  }
}

function wishOf(payload: AgentPayload, { verifiedBy }: HookRequest): AgentWish {
  const { sessionKey, idempotencyKey: _key, ...fields } = payload;
  return {
    ...fields,
    source: 'agent',
    trust: { level: 'untrusted', verifiedBy },
    ...(sessionKey !== undefined && { sessionKey: { key: sessionKey, from: 'request' as const } }),
  };
}

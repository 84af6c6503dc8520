import { Injectable } from '@nestjs/common';
import { AgentDispatch } from '../../ingest/agent-dispatch.ts';
import type { AgentWish } from '../../ingest/agent-dispatch.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { AgentPayload } from '../dto/agent-payload.ts';
import { HookValidationPipe } from '../dto/hook-validation.pipe.ts';
import { eventOf } from './event-of.ts';
import type { Understood } from './understood.ts';

/** `POST {hooks.path}/agent`: one isolated agent run. */
@Injectable()
export class AgentController {
  readonly #payload = new HookValidationPipe(AgentPayload);

  constructor(private readonly dispatch: AgentDispatch) {}

  /** @throws Rejection */
  understand(request: HookRequest, settings: ResolvedHooksOptions): Understood {
    const { value, warnings } = this.#payload.transform(request.payload);
    const dispatched = this.dispatch.agent(wishOf(value, request), settings);
    const told = [...warnings, ...dispatched.warnings];
    return { event: eventOf(request, 'agent', [dispatched.action], told, value.idempotencyKey) };
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

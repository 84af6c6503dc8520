import { Injectable } from '@nestjs/common';
import { AgentDispatch } from '../../ingest/agent-dispatch.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { HookValidationPipe } from '../dto/hook-validation.pipe.ts';
import { WakePayload } from '../dto/wake-payload.ts';
import { eventOf } from './event-of.ts';
import type { Understood } from './understood.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent. */
@Injectable()
export class WakeController {
  readonly #payload = new HookValidationPipe(WakePayload);

  constructor(private readonly dispatch: AgentDispatch) {}

  /** @throws Rejection */
  understand(request: HookRequest, settings: ResolvedHooksOptions): Understood {
    const { value, warnings } = this.#payload.transform(request.payload);
    const trust = { level: 'untrusted', verifiedBy: request.verifiedBy } as const;
    const { text, mode } = value;
    const { action } = this.dispatch.wake({ text, mode, trust }, settings);
    return { event: eventOf(request, 'wake', [action], warnings) };
  }
}

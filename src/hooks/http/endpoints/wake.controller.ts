import { Injectable } from '@nestjs/common';
import { EventAcceptance } from '../../accept/event-acceptance.ts';
import { AgentDispatch } from '../../ingest/agent-dispatch.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import type { Answer } from '../answer.ts';
import { HookValidationPipe } from '../dto/hook-validation.pipe.ts';
import { WakePayload } from '../dto/wake-payload.ts';
import { answerTo } from './answer-to.ts';
import { eventOf } from './event-of.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent. */
@Injectable()
export class WakeController {
  readonly #payload = new HookValidationPipe(WakePayload);

  constructor(
    private readonly dispatch: AgentDispatch,
    private readonly acceptance: EventAcceptance,
  ) {}

  /** @throws Rejection */
  async handle(request: HookRequest, settings: ResolvedHooksOptions): Promise<Answer> {
    const { value, warnings } = this.#payload.transform(request.payload);
    const trust = { level: 'untrusted', verifiedBy: request.verifiedBy } as const;
    const { text, mode } = value;
    const { action } = this.dispatch.wake({ text, mode, trust }, settings);
    const event = eventOf(request, 'wake', [action], warnings);
    return answerTo(await this.acceptance.accept(event, settings));
  }
}

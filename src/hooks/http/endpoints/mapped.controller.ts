import { Injectable, Logger } from '@nestjs/common';
import { EventAcceptance } from '../../accept/event-acceptance.ts';
import { bareName } from '../../ingest/hook-request.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { CompiledMapping } from '../../ingest/mapping/compiled-mapping.ts';
import { MappingService } from '../../ingest/mapping/mapping-service.ts';
import type { Applied } from '../../ingest/mapping/mapping-service.ts';
import { TransformFailure } from '../../ingest/transform/transform-failure.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Rejection } from '../../rejections/index.ts';
import type { RejectionCode } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';
import { answerTo } from './answer-to.ts';
import { eventOf } from './event-of.ts';

/** `POST {hooks.path}/<name>`: whatever the mapping that matched makes of the payload. */
@Injectable()
export class MappedController {
  readonly #logger = new Logger(MappedController.name);

  constructor(
    private readonly mappings: MappingService,
    private readonly acceptance: EventAcceptance,
  ) {}

  /** @throws Rejection */
  async handle(
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): Promise<Answer> {
    const applied = await this.#apply(mapping, request, settings);
    if ('broke' in applied) return this.#keepFailure(applied.broke, mapping, request, settings);
    const { actions, warnings, console } = applied;
    const hook = bareName(request.name);
    const event = { ...eventOf(request, hook, actions, warnings), mapping: mapping.id, console };
    return answerTo(await this.acceptance.accept(event, settings));
  }

  /** @throws Rejection */
  async #apply(
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): Promise<Applied | { broke: unknown }> {
    try {
      return await this.mappings.apply(mapping, request, settings);
    } catch (error) {
      if (error instanceof Rejection) throw error;
      return { broke: error };
    }
  }

  /** The mapping broke: the event is kept, so that nothing is lost and an operator can replay it. */
  async #keepFailure(
    error: unknown,
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): Promise<Answer> {
    const { code, summary, text, console } = toldOf(error);
    this.#logger.error(`mapping ${mapping.id} failed: ${summary}`);
    const { idempotencyKey: _key, ...unkeyed } = request;
    const event = {
      ...eventOf(unkeyed, bareName(request.name), [], []),
      mapping: mapping.id,
      failure: text,
      console,
    };
    const { receipt } = await this.acceptance.accept(event, settings);
    const { status, message } = new Rejection(code);
    const { eventId } = receipt;
    return { status, eventId, body: { ok: false, error: message, code, eventId } };
  }
}

/** What the sender, the log and the story are told of a failure: the text of an error is for the story only. */
function toldOf(error: unknown): {
  code: RejectionCode;
  summary: string;
  text: string;
  console: readonly string[];
} {
  if (error instanceof TransformFailure) {
    const { code, summary, message, console } = error;
    return { code, summary: `transform, ${summary}`, text: message, console };
  }
  const summary = error instanceof Error ? error.name : typeof error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'mapping_failed', summary, text, console: [] };
}

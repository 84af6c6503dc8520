import { Injectable, Logger } from '@nestjs/common';
import { bareName } from '../../ingest/hook-request.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { CompiledMapping } from '../../ingest/mapping/compiled-mapping.ts';
import { MappingService } from '../../ingest/mapping/mapping-service.ts';
import type { Applied } from '../../ingest/mapping/mapping-service.ts';
import { TransformFailure } from '../../ingest/transform/transform-failure.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Rejection } from '../../rejections/index.ts';
import type { RejectionCode } from '../../rejections/index.ts';
import { eventOf } from './event-of.ts';
import type { Understood } from './understood.ts';

/** `POST {hooks.path}/<name>`: whatever the mapping that matched makes of the payload. */
@Injectable()
export class MappedController {
  readonly #logger = new Logger(MappedController.name);

  constructor(private readonly mappings: MappingService) {}

  /** At once, unless the mapping has a transform. @throws Rejection */
  understand(
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): Understood | Promise<Understood> {
    const understood = ({ actions, warnings, console }: Applied): Understood => {
      const event = eventOf(request, bareName(request.name), actions, warnings);
      return { event: { ...event, mapping: mapping.id, console } };
    };
    const broken = (error: unknown): Understood => this.#broken(error, mapping, request);
    try {
      const applied = this.mappings.apply(mapping, request, settings);
      return applied instanceof Promise ? applied.then(understood, broken) : understood(applied);
    } catch (error) {
      return broken(error);
    }
  }

  /**
   * The mapping broke: the event is to be kept, so that nothing is lost and an operator can replay it.
   * @throws Rejection when it did not break but refused.
   */
  #broken(error: unknown, mapping: CompiledMapping, request: HookRequest): Understood {
    if (error instanceof Rejection) throw error;
    const { code, summary, text, console } = toldOf(error);
    this.#logger.error(`mapping ${mapping.id} failed: ${summary}`);
    const { idempotencyKey: _key, ...unkeyed } = request;
    const event = eventOf(unkeyed, bareName(request.name), [], []);
    return {
      event: { ...event, mapping: mapping.id, failure: text, console },
      broke: new Rejection(code),
    };
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

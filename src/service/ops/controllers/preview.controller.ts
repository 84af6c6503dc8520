import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, Length, ValidateIf } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OperatorRequests } from '../../../hooks/index.ts';
import type { Preview } from '../../../hooks/index.ts';
import { IsMapping, RequestFields, TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Needs } from '../access/operators.ts';
import { Refusal } from '../../refusals.ts';

/** Body of `POST /ops/api/preview`: a request of your own, or the `event` whose request is to be looked at again. */
export class PreviewBody extends RequestFields {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  @ValidateIf(({ event }: PreviewBody) => event === undefined)
  @IsString()
  @Length(1, 1024)
  hook!: string;

  /** Id of an earlier event; then nothing else counts. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  event?: string;

  /**
   * A mapping as an entry of `hooks.mappings`, tried among those in force and kept nowhere: in place of the one with its
   * id, else before all others. What is wrong with it is `draft` of the answer. Never beside `event`.
   */
  @IsOptional()
  @IsMapping()
  mapping?: Record<string, unknown>;
}

const NOT_OF_EVENTS = 'mapping goes with a request of your own, not with event';

@Controller('ops/api/preview')
@UseGuards(OperatorGuard)
export class PreviewController {
  constructor(private readonly requests: OperatorRequests) {}

  /** What would become of a request. One that would be refused is a preview, too: its `refusal` says so. @throws Refusal 400, 404, 410, 413 */
  @Post()
  @HttpCode(200)
  @TakesBody()
  @Needs('read')
  async preview(@Req() request: FastifyRequest): Promise<Preview> {
    const { event, ...asked } = await readBody(request, PreviewBody);
    if (event === undefined) return this.requests.preview(asked);
    // It could name what stories leave out of a payload.
    if (asked.mapping !== undefined) throw new Refusal('invalid_body', NOT_OF_EVENTS);
    const preview = await this.requests.previewEvent(event);
    if (typeof preview !== 'string') return preview;
    throw new Refusal(preview === 'pruned' ? 'payload_pruned' : 'unknown_event');
  }
}

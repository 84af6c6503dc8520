import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HookPreview } from '../hooks/index.ts';
import type { Preview } from '../hooks/index.ts';
import { TakesBody, bodyOf } from './operator-body.ts';
import { OperatorGuard } from './operator.guard.ts';
import { PreviewBody } from './preview-body.ts';
import { OpsRefusal } from './refusal.ts';

/** What would become of a request, without any effect. */
@Controller('ops/api/preview')
@UseGuards(OperatorGuard)
export class PreviewController {
  constructor(private readonly hooks: HookPreview) {}

  /** A request that would be refused is a preview, too: its `refusal` says so. @throws OpsRefusal 400, 404, 410, 413 */
  @Post()
  @HttpCode(200)
  @TakesBody()
  async preview(@Req() request: FastifyRequest): Promise<Preview> {
    const { event, ...asked } = await bodyOf(request, PreviewBody);
    if (event === undefined) return this.hooks.of(asked);
    const preview = await this.hooks.ofEvent(event);
    if (typeof preview !== 'string') return preview;
    throw new OpsRefusal(preview === 'pruned' ? 'payload_pruned' : 'unknown_event');
  }
}

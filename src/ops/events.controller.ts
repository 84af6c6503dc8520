import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { Operations, Stories } from '../hooks/index.ts';
import type { EventStory, EventSummary } from '../hooks/index.ts';
import { EventsQuery } from './events-query.ts';
import { OperatorGuard } from './operator.guard.ts';
import { QueryValidationPipe } from './query-validation.pipe.ts';
import { OpsRefusal } from './refusal.ts';

/** What became of events, and a second chance for those that died. */
@Controller('ops/api/events')
@UseGuards(OperatorGuard)
export class EventsController {
  constructor(
    private readonly stories: Stories,
    private readonly operations: Operations,
  ) {}

  /** Newest first. */
  @Get()
  list(
    @Query(QueryValidationPipe) { hook, status, cursor, limit }: EventsQuery,
  ): Promise<{ events: readonly EventSummary[]; nextCursor: string | null }> {
    return this.stories.list({ hook, status, cursor, limit });
  }

  /** @throws OpsRefusal 404 */
  @Get(':id')
  async get(@Param('id') id: string): Promise<EventStory> {
    const story = await this.stories.get(id);
    if (story === null) throw new OpsRefusal('unknown_event');
    return story;
  }

  /** Puts what died of an event back into the queue. @throws OpsRefusal 404, 409 */
  @Post(':id/retry')
  @HttpCode(200)
  async retry(@Param('id') id: string): Promise<{ ok: true; retried: number }> {
    const retried = await this.operations.retry(id);
    if (retried === null) throw new OpsRefusal('unknown_event');
    if (retried === 0) throw new OpsRefusal('nothing_to_retry');
    return { ok: true, retried };
  }
}

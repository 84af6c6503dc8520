import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { Stories } from '../hooks/index.ts';
import type { SessionStory, SessionSummary } from '../hooks/index.ts';
import { OperatorGuard } from './operator.guard.ts';
import { QueryValidationPipe } from './query-validation.pipe.ts';
import { OpsRefusal } from './refusal.ts';
import { SessionsQuery } from './sessions-query.ts';

/** What sessions remember. */
@Controller('ops/api/sessions')
@UseGuards(OperatorGuard)
export class SessionsController {
  constructor(private readonly stories: Stories) {}

  /** In order of their full keys. */
  @Get()
  list(
    @Query(QueryValidationPipe) { cursor, limit }: SessionsQuery,
  ): Promise<{ sessions: readonly SessionSummary[]; nextCursor: string | null }> {
    return this.stories.sessions({ cursor, limit });
  }

  /** @param key the full key, percent-encoded: `agent:main:hook:x`. @throws OpsRefusal 404 */
  @Get(':key')
  async get(@Param('key') key: string): Promise<SessionStory> {
    const session = await this.stories.session(key);
    if (session === null) throw new OpsRefusal('unknown_session');
    return session;
  }
}

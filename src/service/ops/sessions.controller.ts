import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { EventStore } from '../../hooks/index.ts';
import type { SessionDetails, SessionSummary } from '../../hooks/index.ts';
import { Refusal } from '../refusals.ts';
import { QueryPipe } from './operator-input.ts';
import { OperatorGuard } from './operator.guard.ts';

/** Query of `GET /ops/api/sessions`. */
class SessionsQuery {
  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(/^[\w-]{1,4096}$/, { message: 'cursor must be the nextCursor of an answer' })
  cursor?: string;

  /** Most sessions of one answer, 1 to 200. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;
}

/** What sessions remember. */
@Controller('ops/api/sessions')
@UseGuards(OperatorGuard)
export class SessionsController {
  constructor(private readonly events: EventStore) {}

  /** In order of their full keys. */
  @Get()
  list(
    @Query(QueryPipe) { cursor, limit }: SessionsQuery,
  ): Promise<{ sessions: readonly SessionSummary[]; nextCursor: string | null }> {
    return this.events.sessions({ cursor, limit });
  }

  /** @param key the full key, percent-encoded: `agent:main:hook:x`. @throws Refusal 404 */
  @Get(':key')
  async get(@Param('key') key: string): Promise<SessionDetails> {
    const session = await this.events.session(key);
    if (session === null) throw new Refusal('unknown_session');
    return session;
  }
}

import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { Stories } from '../hooks/index.ts';
import type { SessionStory } from '../hooks/index.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OpsRefusal } from './refusal.ts';

/** What a session remembers. */
@Controller('ops/api/sessions')
@UseGuards(OperatorGuard)
export class SessionsController {
  constructor(private readonly stories: Stories) {}

  /** @param key the full key, percent-encoded: `agent:main:hook:x`. @throws OpsRefusal 404 */
  @Get(':key')
  async get(@Param('key') key: string): Promise<SessionStory> {
    const session = await this.stories.session(key);
    if (session === null) throw new OpsRefusal('unknown_session');
    return session;
  }
}

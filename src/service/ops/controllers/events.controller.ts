import { Controller, Get, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { IsISO8601, IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyReply } from 'fastify';
import {
  CHANNEL_IDS,
  ExternalServices,
  EVENT_STATUSES,
  EventStore,
  LedgerAdmin,
  OperatorRequests,
  SearchRefused,
} from '../../../hooks/index.ts';
import type {
  ChannelId,
  DeadWorkFilter,
  EventDetails,
  EventFilter,
  EventStatus,
} from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import type { Dismissed, DismissedPage, EventPage, Retried, RetriedPage } from '../answers.ts';
import { PageQuery, QueryPipe, toTime } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';

export class EventsQuery extends PageQuery {
  /** Name of the hook: `wake`, `agent`, or the sub-path of a mapped hook. */
  @IsOptional()
  @IsString()
  @Length(1, 1024)
  hook?: string;

  /** `accepted`, `running`, `waiting`, `delivering`, `done`, `failed` or `skipped`. */
  @IsOptional()
  @IsIn(EVENT_STATUSES)
  status?: EventStatus;

  /** Id of the mapping that matched. */
  @IsOptional()
  @IsString()
  @Length(1, 1024)
  mapping?: string;

  /** Full key of a session, such as `agent:main:hook:x`: events with a run in it. */
  @IsOptional()
  @Matches(/^agent:[^:]+:./s, { message: 'session must be a full key such as agent:main:hook:x' })
  @Length(1, 2048)
  session?: string;

  /** Only those that were accepted then or later, ISO 8601. */
  @IsOptional()
  @IsISO8601({ strict: true })
  since?: string;

  /** Only those that were accepted before, ISO 8601. */
  @IsOptional()
  @IsISO8601({ strict: true })
  until?: string;

  /**
   * Words and "quoted phrases" that are all in payload, prompt or reply, in upper or lower case; one of them of three
   * characters at least.
   */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  search?: string;

  /** @throws Refusal invalid_query for forms of ISO 8601 that are no time here. */
  static toFilter({ since, until, ...rest }: EventsQuery): EventFilter {
    return {
      ...rest,
      ...(since !== undefined && { since: toTime('since', since) }),
      ...(until !== undefined && { until: toTime('until', until) }),
    };
  }
}

const ENDS: readonly string[] = ['failed', 'timed-out', 'interrupted', 'dead', 'unknown'];

/** Query of `POST /ops/api/events/retry` and `…/dismiss`: which dead runs and deliveries. */
export class DeadWorkQuery extends PageQuery {
  /** Name of the hook, or id of the mapping. */
  @IsOptional()
  @IsString()
  @Length(1, 1024)
  hook?: string;

  /** `true`: only replies of heartbeats, which no hook asked for. Not together with `hook`. */
  @IsOptional()
  @IsIn(['true'], { message: 'heartbeats must be true, or left out' })
  heartbeats?: 'true';

  /**
   * `chan_1` to `chan_8`: only deliveries to it. A retry then makes those due, too, that wait for their next attempt.
   */
  @IsOptional()
  @IsIn(CHANNEL_IDS)
  channel?: ChannelId;

  /** Only of events that came then or later, ISO 8601. */
  @IsOptional()
  @IsISO8601({ strict: true })
  since?: string;

  /** How the run or delivery of an event ended: `failed`, `timed-out`, `interrupted`, `dead` or `unknown`. */
  @IsOptional()
  @IsIn(ENDS)
  status?: 'failed' | 'timed-out' | 'interrupted' | 'dead' | 'unknown';

  /** Most of one call, 1 to 200. */
  override limit = 200;

  /** @throws Refusal invalid_query for forms of ISO 8601 that are no time here, and for a hook's heartbeats. */
  static toFilter({ since, heartbeats, ...rest }: DeadWorkQuery): DeadWorkFilter {
    if (heartbeats !== undefined && rest.hook !== undefined) {
      throw new Refusal('invalid_query', 'heartbeats are of no hook: leave one of the two out');
    }
    return {
      ...rest,
      ...(heartbeats !== undefined && { hook: null }),
      ...(since !== undefined && { since: toTime('since', since) }),
    };
  }
}

@Controller('ops/api/events')
@UseGuards(OperatorGuard)
export class EventsController {
  constructor(
    private readonly events: EventStore,
    private readonly admin: LedgerAdmin,
    private readonly requests: OperatorRequests,
    private readonly services: ExternalServices,
  ) {}

  /** Events, newest first. @throws Refusal 400, 501, 503 */
  @Get()
  async list(@Query(QueryPipe) query: EventsQuery): Promise<EventPage> {
    return this.events.list(EventsQuery.toFilter(query)).catch(searchRefused);
  }

  /** Everything that became of one event. @throws Refusal 404 */
  @Get(':id')
  async get(@Param('id') id: string): Promise<EventDetails> {
    const details = await this.events.get(id);
    if (details === null) throw new Refusal('unknown_event');
    return details;
  }

  /** Puts what is dead of all events back into the queue, the oldest first; `nextCursor`: there was more. */
  @Post('retry')
  @HttpCode(200)
  @Changes('operate')
  async retryAll(@Query(QueryPipe) query: DeadWorkQuery): Promise<RetriedPage> {
    const { count, nextCursor } = await this.admin.retryAll(DeadWorkQuery.toFilter(query));
    return { ok: true, retried: count, nextCursor };
  }

  /** Forgets what is dead of all events, the oldest first; `nextCursor`: there was more. */
  @Post('dismiss')
  @HttpCode(200)
  @Changes('operate')
  async dismissAll(@Query(QueryPipe) query: DeadWorkQuery): Promise<DismissedPage> {
    const { count, nextCursor } = await this.admin.dismissAll(DeadWorkQuery.toFilter(query));
    return { ok: true, dismissed: count, nextCursor };
  }

  /** Forgets what died of an event: it is counted no more and cannot be retried. @throws Refusal 404, 409 */
  @Post(':id/dismiss')
  @HttpCode(200)
  @Changes('operate')
  async dismiss(@Param('id') id: string): Promise<Dismissed> {
    const dismissed = await this.admin.dismiss(id);
    if (dismissed === null) throw new Refusal('unknown_event');
    if (dismissed === 0) throw new Refusal('nothing_to_dismiss');
    return { ok: true, dismissed };
  }

  /**
   * Puts what died of an event back into the queue, and lets what waits be tried at once: for its next attempt, or for a
   * backend that rests. @throws Refusal 404, 409
   */
  @Post(':id/retry')
  @HttpCode(200)
  @Changes('operate')
  async retry(@Param('id') id: string): Promise<Retried> {
    const begun = await this.admin.retry(id);
    if (begun === null) throw new Refusal('unknown_event');
    const retried = this.services.tryBackends() ? Math.max(begun, await this.#queued(id)) : begun;
    if (retried === 0) throw new Refusal('nothing_to_retry');
    return { ok: true, retried };
  }

  /** Sends the request of an event once more, and answers what the sender would be answered today. @throws Refusal 404, 410; Rejection */
  @Post(':id/replay')
  @Changes('operate')
  async replay(
    @Param('id') id: string,
    @Res() reply: FastifyReply,
    @Changing() change: Change,
  ): Promise<void> {
    const replayed = await this.requests.replay(id);
    if (replayed.outcome !== 'replayed') {
      throw new Refusal(replayed.outcome === 'pruned' ? 'payload_pruned' : 'unknown_event');
    }
    const { status, headers = {}, body } = replayed.answer;
    change.answered(status, body);
    await reply.code(status).headers(headers).send(body);
  }

  async #queued(id: string): Promise<number> {
    const details = await this.events.get(id);
    return details?.runs.filter(({ status }) => status === 'queued').length ?? 0;
  }
}

/** What a search that was not made is answered with. @throws Refusal invalid_query, search_off, search_unavailable */
function searchRefused(error: unknown): never {
  if (!(error instanceof SearchRefused)) throw error;
  const { why, message } = error;
  if (why === 'off') throw new Refusal('search_off');
  throw new Refusal(why === 'invalid' ? 'invalid_query' : 'search_unavailable', message);
}

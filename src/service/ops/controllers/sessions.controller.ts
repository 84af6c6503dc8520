import { Controller, Delete, Get, Param, Put, Query, Req, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import {
  CHANNEL_IDS,
  ExternalServices,
  ConfiguredAgents,
  EventStore,
  HooksSettings,
  Sessions,
  mainSession,
} from '../../../hooks/index.ts';
import type { AuditedState, ChannelId, SessionDetails } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import type { Done, SessionPage } from '../answers.ts';
import { LimitQuery, PageQuery, QueryPipe, TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';

export class SessionsQuery extends LimitQuery {
  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(/^[\w-]{1,4096}$/, { message: 'cursor must be the nextCursor of an answer' })
  cursor?: string;
}

export class RouteBody {
  /** Where. */
  @IsIn(CHANNEL_IDS, { message: 'channel must be one of chan_1 to chan_8' })
  channel!: ChannelId;

  /** Recipient in the platform's own form, at most 1,000 characters. */
  @IsString()
  @MaxLength(1000)
  @Matches(/\S/, { message: 'to must not be blank' })
  to!: string;
}

@Controller('ops/api/sessions')
@UseGuards(OperatorGuard)
export class SessionsController {
  constructor(
    private readonly events: EventStore,
    private readonly remembered: Sessions,
    private readonly settings: HooksSettings,
    private readonly services: ExternalServices,
  ) {}

  /** Sessions, in order of their full keys. */
  @Get()
  list(@Query(QueryPipe) { cursor, limit }: SessionsQuery): Promise<SessionPage> {
    return this.events.sessions({ cursor, limit });
  }

  /**
   * What one session remembers, with a page of the system events that wait, the oldest first.
   * @param key the full key, percent-encoded: `agent:main:hook:x`.
   * @throws Refusal 404
   */
  @Get(':key')
  async get(
    @Param('key') key: string,
    @Query(QueryPipe) { cursor, limit }: PageQuery,
  ): Promise<SessionDetails> {
    const session = await this.events.session(key, { cursor, limit });
    if (session === null) throw new Refusal('unknown_session');
    return session;
  }

  /**
   * From now on the main session last spoke there.
   * @param key the full one: `agent:main:main`.
   * @throws Refusal 400, 404
   */
  @Put(':key/route')
  @TakesBody()
  @Changes('configure')
  async setRoute(
    @Param('key') key: string,
    @Req() request: FastifyRequest,
    @Changing() change: Change,
  ): Promise<Done> {
    const { channel, to } = await readBody(request, RouteBody);
    this.#checkMain(key);
    if (!this.services.hasChannel(channel)) throw new Refusal('unknown_channel');
    const expected = this.services.expectedInsteadOf(channel, to);
    if (expected !== null) throw new Refusal('invalid_body', `to must be ${expected}`);
    change.before = await this.#lastRoute(key);
    change.after = { channel, to };
    await this.remembered.noteRoute(key, { channel, to });
    return { ok: true };
  }

  /**
   * From now on the main session has spoken nowhere, to nobody.
   * @param key the full one: `agent:main:main`.
   * @throws Refusal 404
   */
  @Delete(':key/route')
  @Changes('configure')
  async clearRoutes(@Param('key') key: string, @Changing() change: Change): Promise<Done> {
    this.#checkMain(key);
    change.before = await this.#lastRoute(key);
    await this.remembered.clearRoutes(key);
    return { ok: true };
  }

  /**
   * The next turn of the session is the first: its transcript is forgotten, and the conversation that its runner keeps by
   * itself is no longer continued. What waits for that turn stays.
   * @param key the full one: `agent:main:main`.
   * @throws Refusal 404
   */
  @Delete(':key/turns')
  @Changes('operate')
  async clearTranscript(@Param('key') key: string): Promise<Done> {
    const session = await this.events.session(key, { limit: 1 });
    if (session === null) throw new Refusal('unknown_session');
    await this.remembered.clearTranscript(key);
    return { ok: true };
  }

  async #lastRoute(key: string): Promise<AuditedState | null> {
    const { last } = await this.remembered.routes(key);
    return last && { ...last };
  }

  /** A route that no agent would ever use is a mistake of whoever asks for it. */
  #checkMain(key: string): void {
    const agents = new ConfiguredAgents(this.settings).list();
    const isMain = agents.some(({ id }) => mainSession(id) === key);
    if (!isMain) throw new Refusal('no_main_session');
  }
}

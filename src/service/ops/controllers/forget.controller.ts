import { Controller, Delete, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { EventStore, LedgerAdmin } from '../../../hooks/index.ts';
import { parseSearch } from '../../../platform/search-text.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes } from '../audited.ts';
import type { Forgotten, ForgottenPage } from '../answers.ts';
import { CURSOR, TakesBody, readBody } from '../operator-input.ts';
import { searchRefused } from './events.controller.ts';

/** Body of `POST /ops/api/events/forget`. It is no query, so that no log on the way has the words. */
export class ForgetBody {
  /**
   * Words and "quoted phrases", as `search` of `GET /ops/api/events` takes them: whatever has all of them is erased.
   */
  @IsString()
  @Length(1, 200)
  matching!: string;

  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(new RegExp(`^(?:events ${CURSOR}|words \\d{1,15})$`), {
    message: 'cursor must be the nextCursor of an answer',
  })
  cursor?: string;
}

/** Events of one call. */
const PAGE = 100;
const LARGEST_BODY = 16 * 1024;

/** Erasing what an operator may keep no longer: one event, or whatever has certain words. */
@Controller('ops/api/events')
@UseGuards(OperatorGuard)
export class ForgetController {
  constructor(
    private readonly events: EventStore,
    private readonly admin: LedgerAdmin,
  ) {}

  /** Erases an event with its runs, deliveries, waiting lines and the turns that were shown it. @throws Refusal 404, 409 */
  @Delete(':id')
  @Changes('operate')
  async forget(@Param('id') id: string): Promise<Forgotten> {
    const done = await this.admin.forget(id);
    if (done === null) throw new Refusal('unknown_event');
    if (done === 'under-way') throw new Refusal('event_under_way');
    return { ok: true, events: 1, ...done, leftovers: await this.admin.leftovers() };
  }

  /**
   * Erases all events that have these words, and then what else has them: turns, waiting lines, refusals. A page at a
   * time: `nextCursor`, there is more. @throws Refusal 400, 413, 501, 503
   */
  @Post('forget')
  @HttpCode(200)
  @Changes('operate')
  @TakesBody()
  async forgetMatching(@Req() request: FastifyRequest): Promise<ForgottenPage> {
    const { matching, cursor = '' } = await readBody(request, ForgetBody, LARGEST_BODY);
    const [where = '', at] = cursor.split(' ');
    return where === 'words' ? this.#words(matching, Number(at)) : this.#page(matching, at);
  }

  async #page(search: string, cursor: string | undefined): Promise<ForgottenPage> {
    const found = await this.events.list({ search, cursor, limit: PAGE }).catch(searchRefused);
    if ((found.searchedUntil ?? null) !== null) {
      throw new Refusal('search_unavailable', 'the index is still behind; try again in a minute');
    }
    const sum = { events: 0, turns: 0, lines: 0, refusals: 0 };
    const underWay: string[] = [];
    for (const { id } of found.events) {
      const done = await this.admin.forget(id);
      if (done === 'under-way') underWay.push(id);
      if (done === null || done === 'under-way') continue;
      sum.events += 1;
      sum.turns += done.turns;
      sum.lines += done.lines;
    }
    const nextCursor = found.nextCursor === null ? 'words 0' : `events ${found.nextCursor}`;
    return { ok: true, ...sum, underWay, nextCursor, leftovers: [] };
  }

  async #words(matching: string, from: number): Promise<ForgottenPage> {
    const { next, ...done } = await this.admin.forgetMatching(parseSearch(matching), from);
    const leftovers = next === null ? await this.admin.leftovers() : [];
    const nextCursor = next === null ? null : `words ${next}`;
    return { ok: true, events: 0, ...done, underWay: [], nextCursor, leftovers };
  }
}

import { Controller, Get, Headers, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreams } from '../event-streams.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

/** Following what happens, instead of asking again and again. */
@Controller('ops/api/events/stream')
@UseGuards(OperatorGuard)
export class EventStreamController {
  constructor(private readonly streams: EventStreams) {}

  /**
   * Events that are accepted or change their status, as server-sent events: `event: events` with `{events, more}`, the
   * last that changed first, at most four times a second. `Last-Event-ID` goes on after a break. @throws Refusal 503
   */
  @Get()
  async follow(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') mark?: string,
  ): Promise<void> {
    const stream = this.streams.open(request, reply, mark);
    // A proxy would hold back what comes in small pieces; and the connection has no other use afterwards.
    const headers = { 'x-accel-buffering': 'no', connection: 'close' };
    await reply.type('text/event-stream; charset=utf-8').headers(headers).send(stream);
  }
}

import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorRequest } from '../../../hooks/index.ts';
import { TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { RequestBody } from '../request-body.ts';

/** Sends requests of the operator's own. */
@Controller('ops/api/send')
@UseGuards(OperatorGuard)
export class SendController {
  constructor(private readonly requests: OperatorRequest) {}

  /** Sends a request of your own as a new event, verified by `operator`, and answers what a sender would be answered. @throws Refusal 400, 413; Rejection */
  @Post()
  @TakesBody()
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const {
      status,
      headers = {},
      body,
    } = await this.requests.send(await readBody(request, RequestBody));
    await reply.code(status).headers(headers).send(body);
  }
}

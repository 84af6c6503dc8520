import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorRequests } from '../../../hooks/index.ts';
import { RequestBody, SendBody, TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import type { SignedRequest } from '../answers.ts';
import { SenderRequest } from '../sender-request.ts';

@Controller('ops/api')
@UseGuards(OperatorGuard)
export class SendController {
  constructor(
    private readonly requests: OperatorRequests,
    private readonly senders: SenderRequest,
  ) {}

  /** Sends a request of your own as a new event, verified by `operator` or in the name of its sender, and answers what a sender would be answered. @throws Refusal 400, 409, 413; Rejection */
  @Post('send')
  @TakesBody()
  @Changes('operate')
  async send(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Changing() change: Change,
  ): Promise<void> {
    const { as, ...own } = await readBody(request, SendBody);
    change.subject = `${own.hook} as ${as}`;
    const answer = await (as === 'sender' ? this.senders : this.requests).send(own);
    const { status, headers = {}, body } = answer;
    change.answered(status, body);
    await reply.code(status).headers(headers).send(body);
  }

  /** Signs a request of your own as its sender would, now, to be sent by another program: a proof of this one request, never the secret. @throws Refusal 400, 409, 413 */
  @Post('sign')
  @HttpCode(200)
  @TakesBody()
  @Changes('operate')
  async sign(@Req() request: FastifyRequest, @Changing() change: Change): Promise<SignedRequest> {
    const own = await readBody(request, RequestBody);
    change.subject = own.hook;
    return this.senders.sign(own);
  }
}

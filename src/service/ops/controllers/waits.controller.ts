import { Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Clock, LedgerAdmin } from '../../../hooks/index.ts';
import type { DecisionOutcome, WaitPage } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import type { RefusalCode } from '../../refusals.ts';
import type { Done } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { operatorOf } from '../access/operators.ts';
import type { Operator } from '../access/operators.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import { PageQuery, QueryPipe, TakesBody, readBody } from '../operator-input.ts';

export class DecideBody {
  /** What is decided. */
  @IsIn(['approved', 'denied'], { message: 'verdict must be approved or denied' })
  verdict!: 'approved' | 'denied';

  /** Why, at most 1,000 characters; the main session of the agent is told. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @Matches(/\S/, { message: 'reason must not be blank' })
  reason?: string;

  /** Sent in place of the reply that is approved, Markdown. Default: the reply as it is. */
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'text must not be blank' })
  text?: string;
}

/** Runs that wait for a person. */
@Controller('ops/api/waits')
@UseGuards(OperatorGuard)
export class WaitsController {
  constructor(
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
  ) {}

  /** What nobody has decided yet, the oldest first. */
  @Get()
  list(@Query(QueryPipe) query: PageQuery): Promise<WaitPage> {
    return this.admin.waits(query);
  }

  /** Approves or denies what a run waits for; the first decision counts. @throws Refusal 400, 403, 404, 409, 413 */
  @Post(':id/decide')
  @HttpCode(200)
  @TakesBody()
  @Changes('operate')
  async decide(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Changing() change: Change,
  ): Promise<Done> {
    const { verdict, reason, text } = await readBody(request, DecideBody);
    if (text !== undefined && verdict === 'denied') {
      throw new Refusal('invalid_body', 'text goes with approved');
    }
    const operator = operatorOf(request);
    await this.#assertMayDecide(id, operator);
    const at = this.clock.now();
    const decision = { verdict, by: operator?.id, at, reason, text };
    const outcome = await this.admin.decide(id, decision);
    if (outcome === 'no-reply') {
      throw new Refusal('invalid_body', 'text goes with a reply, and this is about none');
    }
    if (outcome !== 'decided') throw new Refusal(CODES[outcome]);
    change.after = { verdict, isEdited: text !== undefined };
    return { ok: true };
  }

  /** @throws Refusal 403 where the approvers of the wait name a role that this operator does not have */
  async #assertMayDecide(id: string, operator: Operator | undefined): Promise<void> {
    const { approvers } = (await this.admin.question({ id })) ?? {};
    if (operator === undefined || !approvers?.includes('configure')) return;
    if (operator.role === 'configure') return;
    const why = `${operator.id} may ${operator.role}, and the approvers of this wait need configure`;
    throw new Refusal('role_too_low', why);
  }
}

const CODES = {
  unknown: 'unknown_wait',
  'decided-before': 'decided_before',
  over: 'wait_over',
} as const satisfies Readonly<
  Record<Exclude<DecisionOutcome, 'decided' | 'no-reply'>, RefusalCode>
>;

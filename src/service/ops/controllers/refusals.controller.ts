import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, IsISO8601, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { Clock, REJECTIONS, Refusals, describeRefused } from '../../../hooks/index.ts';
import type { LostRequests, RefusalFilter } from '../../../hooks/index.ts';
import type { LostAndWhy, LostLately, RefusalPage } from '../answers.ts';
import { PageQuery, QueryPipe, toTime } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

const HOUR_MS = 3_600_000;

export class RefusalsQuery extends PageQuery {
  /** `wake`, `agent`, the id or path of a mapping, or the name that a verified sender asked for. */
  @IsOptional()
  @IsString()
  @Length(1, 1024)
  hook?: string;

  /** Stable code of the answer, such as `payload_too_large`. */
  @IsOptional()
  @IsIn(Object.keys(REJECTIONS), { message: 'code must be one of docs/errors.md' })
  code?: string;

  /** Only those that came then or later, ISO 8601. */
  @IsOptional()
  @IsISO8601({ strict: true })
  since?: string;

  /** `true`: only those of verified senders; `false`: only the others. */
  @IsOptional()
  @Transform(({ value }) => ({ true: true, false: false })[String(value)] ?? value)
  @IsBoolean({ message: 'verified must be true or false' })
  verified?: boolean;

  /** @throws Refusal invalid_query for forms of ISO 8601 that are no time here. */
  static toFilter({ since, ...rest }: RefusalsQuery): RefusalFilter {
    return since === undefined ? rest : { ...rest, since: toTime('since', since) };
  }
}

export function lostLately(refusals: Refusals, clock: Clock): Promise<readonly LostRequests[]> {
  return refusals.lost(clock.now() - HOUR_MS);
}

/** What of verified senders was answered 5xx in the last hour. */
export function failedLately(refusals: Refusals, clock: Clock): Promise<readonly LostRequests[]> {
  return refusals.failed(clock.now() - HOUR_MS);
}

export function lostAndWhy(lost: readonly LostRequests[]): LostAndWhy[] {
  return lost.map((one) => ({ ...one, ...describeRefused(one, one.count) }));
}

@Controller('ops/api/refusals')
@UseGuards(OperatorGuard)
export class RefusalsController {
  constructor(
    private readonly refusals: Refusals,
    private readonly clock: Clock,
  ) {}

  /** Refused requests, newest first. */
  @Get()
  list(@Query(QueryPipe) query: RefusalsQuery): Promise<RefusalPage> {
    return this.refusals.list(RefusalsQuery.toFilter(query));
  }

  /** What verified senders lost in the last hour, the most first. */
  @Get('lost')
  async lost(): Promise<LostLately> {
    return { lost: lostAndWhy(await lostLately(this.refusals, this.clock)) };
  }
}

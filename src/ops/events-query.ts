import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import type { EventStatus } from '../hooks/index.ts';

const STATUSES: readonly EventStatus[] = ['accepted', 'running', 'done', 'failed', 'skipped'];

/** Query of `GET /ops/api/events`. */
export class EventsQuery {
  /** Name of the hook: `wake`, `agent`, or the sub-path of a mapped hook. */
  @IsOptional()
  @IsString()
  @Length(1, 1024)
  hook?: string;

  /** `accepted`, `running`, `done`, `failed` or `skipped`. */
  @IsOptional()
  @IsIn(STATUSES)
  status?: EventStatus;

  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'cursor must be the nextCursor of an answer' })
  cursor?: string;

  /** Most events of one answer, 1 to 200. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;
}

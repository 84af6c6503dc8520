import { Type } from 'class-transformer';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';

/** Query of `GET /ops/api/sessions`. */
export class SessionsQuery {
  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(/^[\w-]{1,4096}$/, { message: 'cursor must be the nextCursor of an answer' })
  cursor?: string;

  /** Most sessions of one answer, 1 to 200. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;
}

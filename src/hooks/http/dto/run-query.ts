import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { TidyQuery } from '../payload-rules.ts';

/** Query of `GET {hooks.path}/runs/<runId>`. */
@TidyQuery()
export class RunQuery {
  /** How long to wait for the end of the run, in whole seconds, 0 to 60. Default: not at all. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(60)
  wait?: number;
}

import { IsIn, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { WAKE_MODES } from '../../options/index.ts';
import type { WakeMode } from '../../options/index.ts';
import { TidyBody } from '../payload-rules.ts';

/** Body of `POST {hooks.path}/wake` (specification, "Request payload: wake"). */
@TidyBody()
export class WakePayload {
  /** Description of the event. Required, not blank; trimmed. */
  @IsString()
  @IsNotEmpty()
  text!: string;

  /** `now` (default): an immediate heartbeat. `next-heartbeat`: wait for the next periodic one. */
  @IsOptional()
  @IsIn(WAKE_MODES)
  mode?: WakeMode;
}

import { IsOptional, IsString, Matches } from 'class-validator';

/** Body of `POST /ops/api/channels/:id/test`; may be absent. */
export class TestBody {
  /** Recipient in the platform's own form; absent: the channel's own. */
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'to must not be blank' })
  to?: string;
}

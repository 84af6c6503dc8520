import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';

/** Body of `POST /ops/api/channels/:id/test`; may be absent. */
export class TestBody {
  /** Recipient in the platform's own form, at most 1,000 characters; absent: the channel's own. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @Matches(/\S/, { message: 'to must not be blank' })
  to?: string;
}

import { IsInt, IsNumber, Max, Min } from 'class-validator';

/** How long stories are kept; part of the `store` section. */
export class RetentionOptions {
  /** Days that payloads, prompts and replies are kept. 0: until the event has ended; replay then answers 410. */
  @IsNumber()
  @Min(0)
  @Max(3650)
  payloadDays = 7;

  /** Days that ended events are kept. */
  @IsInt()
  @Min(1)
  @Max(3650)
  eventDays = 30;
}

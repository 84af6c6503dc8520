import {
  IsBoolean,
  IsIn,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
} from 'class-validator';
import {
  CHANNEL_VALUES,
  MAX_TIMEOUT_SECONDS,
  OptionalText,
  WAKE_MODES,
} from '../../options/index.ts';
import type { WakeMode } from '../../options/index.ts';
import { THINKING_LEVELS } from '../../ports/index.ts';
import type { ChannelId, ThinkingLevel } from '../../ports/index.ts';
import { TidyBody } from '../payload-rules.ts';

/** Body of `POST {hooks.path}/agent` (specification, "Request payload: agent"). */
@TidyBody({ verbatim: ['message'], caseFolded: ['channel'] })
export class AgentPayload {
  /** Prompt the agent processes. Required, not blank; kept as sent. */
  @IsString()
  @Matches(/\S/u, { message: 'message must not be blank' })
  message!: string;

  /** Human-readable hook name, prefix of the summary. Default `Hook`. */
  @OptionalText()
  name?: string;

  /** Agent that runs it; an unknown one falls back to the default agent. Subject to `hooks.allowedAgentIds`. */
  @OptionalText()
  agentId?: string;

  /** Session of the run. Refused unless `hooks.allowRequestSessionKey` is true. */
  @OptionalText()
  sessionKey?: string;

  /** `now` (default): an immediate heartbeat after the summary. */
  @IsOptional()
  @IsIn(WAKE_MODES)
  wakeMode?: WakeMode;

  /** Whether the reply goes to a channel. Default true. */
  @IsOptional()
  @IsBoolean()
  deliver?: boolean;

  /** `last` (default) or `chan_1` … `chan_8`; any case. */
  @IsOptional()
  @IsIn(CHANNEL_VALUES)
  channel?: ChannelId | 'last';

  /** Recipient. Default: the last recipient of the main session. */
  @OptionalText()
  to?: string;

  /** `<provider>/<model>` or an alias; must be allowed where `agents.defaults.models` is enforced. */
  @OptionalText()
  model?: string;

  /** Thinking level. */
  @IsOptional()
  @IsIn(THINKING_LEVELS)
  thinking?: ThinkingLevel;

  /** Longest run in seconds, over 0 and at most 86,400. Default `agents.defaults.timeoutSeconds`. */
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(MAX_TIMEOUT_SECONDS)
  timeoutSeconds?: number;

  /**
   * The same key with the same body runs once; the headers `Idempotency-Key` and `x-gateway-idempotency-key` win over it.
   */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  @Matches(/^\P{Cs}*$/u, { message: 'idempotencyKey must be well-formed Unicode' })
  idempotencyKey?: string;
}

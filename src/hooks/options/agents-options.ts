import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  IsTimeZone,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { CHANNEL_IDS, THINKING_LEVELS } from '../ports/index.ts';
import type { ChannelId, ThinkingLevel } from '../ports/index.ts';
import { MAX_TIMEOUT_SECONDS } from './mapping-options.ts';
import { IsModelList } from './model-list.ts';
import type { ModelList } from './model-list.ts';
import { OptionalText } from './optional-text.ts';
import { RunnerOptions } from './runner-options.ts';
import { OptionalSection } from './optional-section.ts';
import { ToolOptions } from './tool-options.ts';

/** A length of time in the configuration: `90s`, `30m`, `2h`; `0m` is off. */
export const DURATION = /^(\d{1,5})(s|m|h)$/;

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const TIME_MESSAGE = { message: 'must be a time of day such as 08:00' };

/** `agents.defaults.heartbeat.activeHours`: when periodic heartbeats come; immediate ones always do. */
export class ActiveHoursOptions {
  /** First minute, `HH:MM`. */
  @Matches(TIME, TIME_MESSAGE)
  start!: string;

  /** Minute after the last, `HH:MM`; before `start`: the night between is meant. */
  @Matches(TIME, TIME_MESSAGE)
  end!: string;

  /** For example `Europe/Berlin`. Default: the machine's own. */
  @IsOptional()
  @IsTimeZone()
  timezone?: string;
}

/** `agents.defaults.heartbeat`: the turns of an agent on its main session. */
export class HeartbeatOptions {
  /** How often a periodic heartbeat comes: a number with `s`, `m` or `h`; `0m` turns them off. Immediate ones still come. */
  @Matches(DURATION, {
    message: 'must be a number of at most five digits followed by s, m or h, for example 30m',
  })
  every = '30m';

  /** Absent: periodic heartbeats come at any time. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ActiveHoursOptions)
  activeHours?: ActiveHoursOptions;

  /** A reply with HEARTBEAT_OK at its start or end and at most this many other characters is not delivered. */
  @IsInt()
  @Min(0)
  ackMaxChars = 300;

  /** Where its replies go: `last` (where the main session last spoke; nowhere when it never did) or `chan_1` … `chan_8`. */
  @IsIn(['last', ...CHANNEL_IDS])
  channel: ChannelId | 'last' = 'last';

  /** Recipient of its replies. Default: the channel's last recipient. */
  @OptionalText()
  to?: string;

  /** What the agent is asked in a heartbeat. */
  @IsString()
  @IsNotEmpty()
  prompt =
    'Heartbeat. Read the system events below, if any, and act on what needs you. If nothing needs attention, reply HEARTBEAT_OK.';
}

/** `agents.defaults`: what holds for every agent that does not say otherwise. */
export class AgentDefaultsOptions {
  /** `<provider>/<model>` or an alias; `auto`: a local Ollama if one runs, else the demo agent. */
  @OptionalText()
  model?: string;

  /** Allowlist of models: a list of ids or an object `{id: {alias}}`. Absent or empty: not enforced. */
  @IsOptional()
  @IsModelList()
  models?: ModelList;

  /** Runner of the agents that have none of their own. Absent: `model`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RunnerOptions)
  runner?: RunnerOptions;

  /** Longest run in seconds, over 0 and at most 86,400. */
  @IsNumber()
  @IsPositive()
  @Max(MAX_TIMEOUT_SECONDS)
  timeoutSeconds = 600;

  /** How many turns run side by side, 1 to 1,000. Applies without restart. */
  @IsInt()
  @Min(1)
  @Max(1000)
  maxConcurrent = 4;

  /**
   * Most of a session's transcript that a turn is given, in tokens of 4 characters each, 0 to 10,000,000. Whole turns
   * (prompt and reply) are left out from the front.
   */
  @IsInt()
  @Min(0)
  @Max(10_000_000)
  historyTokens = 50_000;

  /** How many system events may wait in one main session; more are answered 503. */
  @IsInt()
  @Min(1)
  maxSystemEvents = 100_000;

  @IsObject()
  @ValidateNested()
  @Type(() => HeartbeatOptions)
  heartbeat = new HeartbeatOptions();
}

/** One entry of `agents.list`. */
export class AgentOptions {
  /** Letters, digits, `_` and `-`; compared case-folded. */
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, {
    message: 'must be 1 to 64 letters, digits, underscores or hyphens',
  })
  id!: string;

  /** The agent that runs what names no agent, or an unknown one. Default: the first of the list. */
  @IsOptional()
  @IsBoolean()
  default?: boolean;

  /** The agent's own directory, relative to the configuration directory or absolute; made at the first use. */
  @OptionalText()
  workspace?: string;

  /** How its turns are run. Default `agents.defaults.runner`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RunnerOptions)
  runner?: RunnerOptions;

  /** Default `agents.defaults.model`. */
  @OptionalText()
  model?: string;

  /** Thinking level when the request names none. */
  @IsOptional()
  @IsIn(THINKING_LEVELS)
  thinking?: ThinkingLevel;

  /** The operator's words, put before every prompt of this agent. */
  @IsOptional()
  @IsString()
  instructions?: string;

  /** Default `agents.defaults.timeoutSeconds`. */
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(MAX_TIMEOUT_SECONDS)
  timeoutSeconds?: number;

  /** Absent: the agent has no tools. */
  @OptionalSection(ToolOptions)
  tools?: ToolOptions;
}

/** The `agents` section. */
export class AgentsOptions {
  @IsObject()
  @ValidateNested()
  @Type(() => AgentDefaultsOptions)
  defaults = new AgentDefaultsOptions();

  /** Every agent; empty: one agent named `main`. */
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => AgentOptions)
  list: AgentOptions[] = [];
}

import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  ValidateNested,
} from 'class-validator';
import { CHANNEL_IDS } from '../ports/index.ts';
import type { ChannelId } from '../ports/index.ts';
import { OptionalText } from './optional-text.ts';
import { IsTextOrLines } from './text-or-lines.ts';
import { TransformOptions } from './transform-options.ts';

export const ACTION_KINDS = ['wake', 'agent'] as const;
export const WAKE_MODES = ['now', 'next-heartbeat'] as const;
export type WakeMode = (typeof WAKE_MODES)[number];
export const SESSION_MODES = ['isolated', 'persistent'] as const;

/** Values of `channel`: `last` and the eight channels. */
export const CHANNEL_VALUES = ['last', ...CHANNEL_IDS] as const;

/** Longest run a request or the configuration may ask for: one day. */
export const MAX_TIMEOUT_SECONDS = 86_400;

/** `hooks.mappings[].match`: which requests a mapping takes. Without `path` and `source` it takes every custom name. */
export class MatchOptions {
  /** Sub-path under the prefix, without outer slashes; compared exactly. */
  @OptionalText()
  path?: string;

  /** Equals the payload's own string field `source`. */
  @OptionalText()
  source?: string;
}

/** One entry of `hooks.mappings`: turns a payload into a wake action or an agent action. Templates: `{{ path }}`. */
export class MappingOptions {
  /** Names the mapping in stories and logs; the hook's name when there is no `match`. The id of a preset merges over it. */
  @OptionalText()
  id?: string;

  /** Which requests it takes; absent: those to the path `<id>`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => MatchOptions)
  match?: MatchOptions;

  /** `wake` or `agent`. Default `agent`. */
  @IsOptional()
  @IsIn(ACTION_KINDS)
  action?: 'wake' | 'agent';

  /** `now` (default) or `next-heartbeat`. */
  @IsOptional()
  @IsIn(WAKE_MODES)
  wakeMode?: WakeMode;

  /** Human-readable hook name, prefix of the summary. Template. Default `Hook`. */
  @IsOptional()
  @IsString()
  name?: string;

  /** Agent that runs it; for a wake, whose main session hears it. Default: the default agent. */
  @OptionalText()
  agentId?: string;

  /** Session of the run. Template; agent actions only. Default: `hooks.defaultSessionKey`. */
  @OptionalText()
  sessionKey?: string;

  /** `isolated` (default): a clean transcript under the key. `persistent`: the conversation continues. */
  @IsOptional()
  @IsIn(SESSION_MODES)
  sessionMode?: 'isolated' | 'persistent';

  /** What the agent is asked. Template, or a list of lines; agent actions. Default: the payload as JSON. */
  @IsOptional()
  @IsTextOrLines()
  messageTemplate?: string | readonly string[];

  /** Text of the system event. Template, or a list of lines; wake actions. Default: the payload as JSON. */
  @IsOptional()
  @IsTextOrLines()
  textTemplate?: string | readonly string[];

  /** The operator's own words to the agent, outside the safety boundary. No template. */
  @IsOptional()
  @IsString()
  instructions?: string;

  /** Path to an array in the payload: one action per item (at most 200), with `item` and `index` in templates. */
  @OptionalText()
  forEach?: string;

  /** Code that looks at the payload after the templates; what it returns wins. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => TransformOptions)
  transform?: TransformOptions;

  /** Whether the reply goes to a channel. Default true. */
  @IsOptional()
  @IsBoolean()
  deliver?: boolean;

  /** `last` (default) or `chan_1` … `chan_8`. */
  @IsOptional()
  @IsIn(CHANNEL_VALUES)
  channel?: ChannelId | 'last';

  /** Recipient. Template. Default: the channel's last recipient. */
  @OptionalText()
  to?: string;

  /** `<provider>/<model>` or an alias. Template. */
  @OptionalText()
  model?: string;

  /** `off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max` or `adaptive`. Template. */
  @OptionalText()
  thinking?: string;

  /** Longest run in seconds, over 0 and at most 86,400. Default `agents.defaults.timeoutSeconds`. */
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(MAX_TIMEOUT_SECONDS)
  timeoutSeconds?: number;

  /** True: the content is shown to the agent without the safety boundary. Only for trusted internal sources. Default false. */
  @IsOptional()
  @IsBoolean()
  allowUnsafeExternalContent?: boolean;

  /** True: links and images of the reply are shown as such. Default false: as plain text, since they can carry data away. */
  @IsOptional()
  @IsBoolean()
  allowLinks?: boolean;

  /** Requests (items, under `forEach`) that render to the same key run once. Template, 1 to 256 characters. */
  @OptionalText()
  dedupeKey?: string;
}

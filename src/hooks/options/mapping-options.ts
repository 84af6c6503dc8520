import {
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import { isRecord } from '../../platform/objects.ts';
import { CHANNEL_IDS } from '../ports/index.ts';
import { IsApprove } from './approve-option.ts';
import type { ApproveOption, ChannelId, RuleScope } from '../ports/index.ts';
import {
  OptionalSection,
  OptionalText,
  Rule,
  TextList,
  TextOrLines,
  WholeNumber,
  PositiveNumber,
} from './key-kinds.ts';
import type { Conditions, ListLine } from './key-kinds.ts';
import {
  MAPPING_ACTIONS,
  OF_ACTIONS,
  OF_AGENTS,
  OF_MESSAGES,
  OF_NEW_RUNS,
  OF_RESUMES,
  OF_RUNS,
  OF_WAKES,
} from './mapping-actions.ts';
import type { MappingAction } from './mapping-actions.ts';
import { Option } from './option.ts';
import { RuleOptions } from './rule-options.ts';
import { NO_TOKEN_HEADER, TOKEN_HEADER } from './scheme-options.ts';
import { VerifyOptions } from './verify-options.ts';
import { WaitForOptions } from './wait-for-option.ts';

export const WAKE_MODES = ['now', 'next-heartbeat'] as const;
export type WakeMode = (typeof WAKE_MODES)[number];
const OR_ELSE = ['ignore', 'run'] as const;
export const REPLIES = ['channel', 'source'] as const;
const SESSION_MODES = ['isolated', 'persistent'] as const;

export const CHANNEL_VALUES = ['last', ...CHANNEL_IDS] as const;

/** Longest run a request or the configuration may ask for: one day. */
export const MAX_TIMEOUT_SECONDS = 86_400;

/** Longest `task`, in characters. */
export const MAX_TASK_LENGTH = 10_000;

const BODY_KINDS = ['json', 'form', 'text'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

/** Largest body that can be allowed, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;
export const USUAL_BODY_BYTES = 1024 * 1024;

/** `hooks.mappings[].match`: which requests a mapping takes. Without `path` and `source` it takes every custom name. */
export class MatchOptions {
  /** Sub-path under the prefix, without outer slashes; compared exactly. */
  @OptionalText()
  path?: string;

  /** Equals the payload's own string field `source`. */
  @OptionalText()
  source?: string;
}

/** `hooks.mappings[].transform`: code of the operator that decides instead of, or after, the templates. */
export class TransformOptions {
  /** File below the transforms directory: `.js`, `.mjs`, `.ts` or `.mts`. */
  @IsString()
  @Matches(/\S/, { message: 'must name a file in the transforms directory' })
  module!: string;

  /** Name of the export to call. Default: `default`, else `transform`. */
  @OptionalText()
  export?: string;
}

/** `hooks.mappings[].replyTo`: where what it takes can be answered. Presets of senders that can be answered bring it. */
export class ReplyToOptions {
  /** Provider of the channel that speaks there, such as `github`, `gitlab`, `gitea` or `slack`. */
  @IsString()
  @IsNotEmpty()
  provider!: string;

  /** The place in the provider's own form, such as `{{ repository.full_name }}#{{ issue.number }}`. Template or list of lines. */
  @IsNotEmpty()
  @TextOrLines()
  to!: string | readonly (string | ListLine)[];

  /** What its author wrote, or the id by which the channel knows its own (of the message or the author): what a channel of ours wrote is skipped. Template. */
  @OptionalText()
  text?: string;

  /** What must hold for the place to be closed to strangers, as in `when`; `true`: it always is. Default: it never is. */
  @Option({ conditions: true })
  @IsOptional()
  @Rule(
    'isPrivate',
    (value) => value === true || isRecord(value),
    "must be true, or conditions such as {'payload.repository.private': true}",
  )
  private?: Conditions | true;

  /** What the agent is to do where its reply goes there and the mapping has no task of the operator's. Default: as ever. */
  @IsOptional()
  @MaxLength(MAX_TASK_LENGTH)
  @IsString()
  task?: string;
}

/** One entry of `hooks.mappings`: turns a payload into a wake action or an agent action. Templates: `{{ path }}`. */
export class MappingOptions extends RuleOptions {
  /**
   * Names the mapping in event details and logs; the hook's name when there is no `match`. The id of a preset merges over
   * it.
   */
  @OptionalText()
  id?: string;

  /** Which requests it takes; absent: those to the path `<id>`. */
  @OptionalSection(MatchOptions)
  match?: MatchOptions;

  /**
   * Signatures instead of the hook token. This key and the next four belong to the path, since they are needed before the
   * payload is known: only the first mapping of a path says them, or all that say them agree.
   */
  @Option({ guards: true })
  @OptionalSection(VerifyOptions)
  verify?: VerifyOptions;

  /** True: a hook that verifies signatures takes the hook token, too. @default false */
  @IsOptional()
  @IsBoolean()
  orToken?: boolean;

  /** One more header in which the hook token may come, for senders that can only fill their own. Default: `hooks.tokenHeader`. */
  @IsOptional()
  @Matches(TOKEN_HEADER, NO_TOKEN_HEADER)
  @IsString()
  tokenHeader?: string;

  /** `json`, `form` (to an object; multipart, too) or `text` (to `{text}`): what the sender sends. @default 'json' */
  @IsOptional()
  @IsIn(BODY_KINDS)
  body?: BodyKind;

  /**
   * Largest body in bytes, 1 to 67,108,864. Default: `hooks.maxBodyBytes`; where that is not set, what a preset's sender
   * sends, as far as `hooks.maxInFlightBytes` allows.
   */
  @IsOptional()
  @WholeNumber(1, MAX_BODY_BYTES)
  maxBodyBytes?: number;

  /** What must hold of payload, headers and query, as part of the match; docs/mappings.md has the operators. */
  @Option({ conditions: true })
  @IsOptional()
  @IsObject()
  when?: Conditions;

  /**
   * `wake`, `agent`, `deliver`: the rendered message goes to the channel, and no agent is asked, `resume`: the runs that wait
   * for it go on, or `ignore`: what it takes is kept as skipped and does nothing. @default 'agent'
   */
  @IsOptional()
  @IsIn(MAPPING_ACTIONS)
  action?: MappingAction;

  /** `now` or `next-heartbeat`. @default 'now' */
  @Option({ appliesTo: OF_AGENTS })
  @IsOptional()
  @IsIn(WAKE_MODES)
  wakeMode?: WakeMode;

  /** Human-readable hook name, prefix of the summary. Template. @default 'Hook' */
  @Option({ appliesTo: OF_MESSAGES })
  @IsOptional()
  @IsString()
  name?: string;

  /** Agent that runs it; for a wake, whose main session hears it. Default: the default agent. */
  @Option({ appliesTo: OF_AGENTS })
  @OptionalText()
  agentId?: string;

  /** Session of the run. Template; agent actions only. Default: `hooks.defaultSessionKey`. */
  @Option({ appliesTo: OF_RUNS })
  @OptionalText()
  sessionKey?: string;

  /** `isolated`: a clean transcript under the key. `persistent`: the conversation continues. @default 'isolated' */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsIn(SESSION_MODES)
  sessionMode?: 'isolated' | 'persistent';

  /**
   * What the agent is asked, or what is delivered. Template or list of lines, of which `{each, line, most}` is one line per
   * item of a list; agent and deliver actions. Default: the payload as JSON.
   */
  @Option({ appliesTo: OF_MESSAGES })
  @IsOptional()
  @TextOrLines()
  messageTemplate?: string | readonly (string | ListLine)[];

  /** Text of the system event. Template or list of lines, as in `messageTemplate`; wake actions. Default: the payload as JSON. */
  @Option({ appliesTo: OF_WAKES })
  @IsOptional()
  @TextOrLines()
  textTemplate?: string | readonly (string | ListLine)[];

  /**
   * What the agent is to do, at the top of its prompt and outside the safety boundary; at most 10,000 characters. No
   * template; agent actions only. Empty: no task. Default: the preset's, else `agents.defaults.task`.
   */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @MaxLength(MAX_TASK_LENGTH)
  @IsString()
  task?: string;

  /** What the operator adds to the task, below it and outside the safety boundary. No template. */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsString()
  instructions?: string;

  /** Path to an array in the payload: one action per item (at most 200), with `item` and `index` in templates. */
  @Option({ appliesTo: OF_ACTIONS })
  @OptionalText()
  forEach?: string;

  /** Code that looks at the payload after the templates; what it returns wins. */
  @Option({ appliesTo: OF_ACTIONS })
  @OptionalSection(TransformOptions)
  transform?: TransformOptions;

  /** Whether the reply goes to a channel. @default true */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsBoolean()
  deliver?: boolean;

  /** `last` or `chan_1` … `chan_8`. @default 'last' */
  @Option({ appliesTo: OF_MESSAGES })
  @IsOptional()
  @IsIn(CHANNEL_VALUES)
  channel?: ChannelId | 'last';

  /** Recipient. Template. Default: the channel's last recipient. */
  @Option({ appliesTo: OF_MESSAGES })
  @OptionalText()
  to?: string;

  /**
   * `source`: the reply goes to where the event came from, as a comment or into its thread, by a channel of that provider.
   * Where strangers can open such a place a person decides about it first, unless `approve` says otherwise. `channel`: it
   * goes to `channel`. @default 'channel'
   */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsIn(REPLIES)
  reply?: (typeof REPLIES)[number];

  /** Where an event came from, for `reply: 'source'`. Default: the preset's. */
  @Option({ appliesTo: OF_ACTIONS })
  @OptionalSection(ReplyToOptions)
  replyTo?: ReplyToOptions;

  /** `<provider>/<model>` or an alias. Template. */
  @Option({ appliesTo: OF_RUNS })
  @OptionalText()
  model?: string;

  /** `off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max` or `adaptive`. Template. */
  @Option({ appliesTo: OF_RUNS })
  @OptionalText()
  thinking?: string;

  /** Longest run in seconds, over 0 and at most 86,400. Default: `agents.defaults.timeoutSeconds`. */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @PositiveNumber(MAX_TIMEOUT_SECONDS)
  timeoutSeconds?: number;

  /**
   * True: the content is shown to the agent without the safety boundary, and what is delivered of it keeps its links. Only
   * for trusted internal sources.
   * @default false
   */
  @Option({ appliesTo: OF_ACTIONS })
  @IsOptional()
  @IsBoolean()
  allowUnsafeExternalContent?: boolean;

  /**
   * True: links and images of the reply, or of what is delivered, are shown as such. False: as plain text, since they can carry data away.
   * @default false
   */
  @Option({ appliesTo: OF_ACTIONS })
  @IsOptional()
  @IsBoolean()
  allowLinks?: boolean;

  /**
   * What a person decides: `run`, whether a run may begin; `tools`, whether it may call tools; `reply`, whether its reply
   * may be delivered; or an object `{run, tools, reply, until, then, whileWaiting, approvers}`, in which `when-untrusted` asks only
   * where foreign text is shown, and `tools` may list names such as `desk_*`. `false`: nothing. Default: the agent's.
   */
  @Option({ appliesTo: OF_RUNS, guards: true })
  @IsOptional()
  @IsApprove()
  approve?: ApproveOption;

  /** Which runs go on: those that wait for this key (`waitFor`), such as `{{ payload.deployment.id }}`. Template. */
  @Option({ appliesTo: OF_RESUMES })
  @OptionalText()
  resume?: string;

  /** What becomes of an event that no run waits for: nothing, after ten minutes, or a run of its own, at once. @default 'ignore' */
  @Option({ appliesTo: OF_RESUMES })
  @IsOptional()
  @IsIn(OR_ELSE)
  orElse?: (typeof OR_ELSE)[number];

  /** The event that its runs wait for, before they begin or while their agent says so. Default: none. */
  @Option({ appliesTo: OF_NEW_RUNS })
  @OptionalSection(WaitForOptions)
  waitFor?: WaitForOptions;

  /**
   * True: the token that made a run may ask for its reply (`GET …/runs/<runId>`). Not beside `sessionKey` or
   * `sessionMode: persistent`. @default false
   */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsBoolean()
  exposeReply?: boolean;

  /**
   * Places in the payload that are shown as `[left out]` wherever it is rendered whole, such as `customer.email` or
   * `items[].card`; a template that names one gets it.
   */
  @Option({ guards: true })
  @IsOptional()
  @TextList()
  redact?: readonly string[];

  /** Places in the payload that are shown although their names are those of credentials. */
  @IsOptional()
  @TextList()
  keep?: readonly string[];

  /** Requests (items, under `forEach`) that render to the same key run once. Template, 1 to 256 characters. */
  @Option({ appliesTo: OF_ACTIONS })
  @OptionalText()
  dedupeKey?: string;

  /**
   * What makes a repeat. `key`: the same `dedupeKey`, whatever else the request says. `key-and-body`: the same body as the
   * latest event of that key; another body is an event of its own, for keys that name a thing and no event, such as the
   * number of a ticket. The `dedupeKey` of a preset counts with the body unless the preset says otherwise. @default 'key'
   */
  @Option({ appliesTo: OF_ACTIONS })
  @IsOptional()
  @IsIn(['key', 'key-and-body'])
  dedupeOn?: 'key' | 'key-and-body';

  /**
   * Among whose requests `dedupeKey` counts. `sender`: those of one token, or of one signature scheme, so that no sender
   * makes another's event a repeat. `mapping`: all that this mapping takes, where several senders tell of one event.
   * @default 'sender'
   */
  @Option({ appliesTo: OF_ACTIONS })
  @IsOptional()
  @IsIn(['sender', 'mapping'])
  dedupeScope?: RuleScope;
}

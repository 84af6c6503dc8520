import {
  IsBoolean,
  IsIn,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
} from 'class-validator';
import { isRecord } from '../../platform/objects.ts';
import { BudgetOptions } from './budget-options.ts';
import {
  OptionalSection,
  OptionalText,
  Rule,
  Section,
  SectionList,
  SectionMap,
  TextList,
  WholeNumber,
  PositiveNumber,
} from './key-kinds.ts';
import { MAX_BODY_BYTES, MappingOptions } from './mapping-options.ts';
import { RuleOptions, RunLimitsOptions, TotalLimitOptions } from './rule-options.ts';
import { Option } from './option.ts';
import { NO_TOKEN_HEADER, SchemeOptions, TOKEN_HEADER } from './scheme-options.ts';
import { TokenOptions } from './token-options.ts';

/** `hooks.authFailures`: the failure budget of one client address over all hook endpoints. */
export class AuthFailuresOptions {
  /** Failures within the window that are answered 401; the last of them locks. 1 to 1,000. @default 20 */
  @WholeNumber(1, 1000)
  limit = 20;

  /** Length of the sliding window in seconds, over 0. @default 60 */
  @IsNumber()
  @IsPositive()
  windowSeconds = 60;

  /** How long a locked client is answered 429, in seconds, over 0. Failures during the lock do not lengthen it. @default 60 */
  @IsNumber()
  @IsPositive()
  lockSeconds = 60;

  /** True: even a right token is refused during the lock. @default false */
  @IsBoolean()
  strict = false;
}

/** `hooks.endpoints`: which built-in hooks there are. One that is off is answered 404, and a mapping may take its name. */
export class EndpointsOptions {
  /** `POST …/wake`. @default true */
  @IsBoolean()
  wake = true;

  /**
   * `POST …/agent`. `{exposeReply: true}`: there is one, and the token that made a run may ask for its reply
   * (`GET …/runs/<runId>`), unless the request named the session. @default true
   */
  @IsEndpoint()
  agent: boolean | { readonly exposeReply: boolean } = true;
}

function IsEndpoint(): PropertyDecorator {
  return Rule('isEndpoint', isEndpoint, 'must be true, false or {exposeReply: true}');
}

function isEndpoint(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (!isRecord(value) || typeof value['exposeReply'] !== 'boolean') return false;
  return Object.keys(value).length === 1;
}

/** Whether senders may ask for replies of `POST …/agent`. */
export function exposesAgentReplies({
  hooks,
}: {
  readonly hooks: Pick<HooksOptions, 'endpoints'>;
}): boolean {
  const { agent } = hooks.endpoints;
  return typeof agent === 'object' && agent.exposeReply;
}

/** `hooks.transformLimits`: what one call of a transform may cost, and how many run at once. */
export class TransformLimitsOptions {
  /** Wall time of one call in milliseconds, 10 to 60,000; then 504. @default 500 */
  @WholeNumber(10, 60_000)
  timeoutMs = 500;

  /** Memory of one call in megabytes, 4 to 512; then 500. @default 32 */
  @WholeNumber(4, 512)
  memoryMb = 32;

  /** Largest result as JSON in kilobytes, 1 to 16,384; then 500. @default 256 */
  @WholeNumber(1, 16_384)
  resultKb = 256;

  /** Threads that transforms run in, 1 to 16; started when they are needed. @default 2 */
  @WholeNumber(1, 16)
  workers = 2;
}

/** `hooks.defaults`: what holds for every mapping that does not say otherwise. */
export class HookDefaultsOptions extends RuleOptions {
  /**
   * When the agent's main session looks at the summary of a run, of a mapping or of `POST …/agent`, that does not say so
   * itself. `now` is a heartbeat, and so a model call more for each event. @default 'now'
   */
  @IsOptional()
  @IsIn(['now', 'next-heartbeat'])
  wakeMode?: 'now' | 'next-heartbeat';
}

/**
 * The `hooks` section, and with the same keys what `HooksModule.forRoot` takes: everything that can change without a
 * restart, but for `path`. What several keys show together is in hooks-rules.ts.
 */
export class HooksOptions {
  /** Turns the ingress on. @default false */
  @IsBoolean()
  enabled = false;

  /**
   * Shared secret of every sender that has none of its own, for every hook: at least 16 characters, or its digest
   * (`sha256:<hex>`). Must not be the gateway's own. Required when enabled, unless `tokens` or a mapping's `verify` says
   * who may speak.
   */
  @Option({ secret: true, operatorOnly: true })
  @IsOptional()
  @IsString()
  token?: string;

  /** Senders with secrets of their own, each for the hooks that it names. @default [] */
  @Option({ merge: 'append' })
  @SectionList(TokenOptions)
  tokens: TokenOptions[] = [];

  /**
   * One more header in which the token may come, to `wake` and `agent` as to every mapping that names none of its own
   * (`tokenHeader`). Default: none.
   */
  @IsOptional()
  @Matches(TOKEN_HEADER, NO_TOKEN_HEADER)
  @IsString()
  tokenHeader?: string;

  /** Which built-in hooks there are. */
  @Option({ operatorOnly: true })
  @Section(EndpointsOptions)
  endpoints = new EndpointsOptions();

  /** How much of `POST …/agent` goes on and waits. */
  @Section(RunLimitsOptions)
  agentLimits = new RunLimitsOptions();

  /** Rules of every mapping, unless it has its own, and `wakeMode` of every run. */
  @Section(HookDefaultsOptions)
  defaults = new HookDefaultsOptions();

  /** How much agents may use in a time. @default [] */
  @Option({ operatorOnly: true })
  @SectionList(BudgetOptions)
  budgets: BudgetOptions[] = [];

  /** How many runs of all mappings together there are in a time, beside the limits of each. Default: as many as come. */
  @OptionalSection(TotalLimitOptions)
  limit?: TotalLimitOptions;

  /** Path prefix of all hook endpoints. @default '/hooks' */
  @Option({ restart: true })
  @IsString()
  path = '/hooks';

  /**
   * The address as senders call it, e.g. `https://hooks.example.com`: everything before `hooks.path`, without a trailing
   * slash. Needed by schemes that sign the URL, such as `twilio`.
   */
  @IsOptional()
  @Matches(/^https?:\/\/[^\s/?#]+(?:\/[^\s/?#]+)*$/, {
    message: 'must be a URL without a trailing slash, such as https://hooks.example.com',
  })
  @IsString()
  publicUrl?: string;

  /**
   * The address of the console as people reach it, e.g. `https://hooks.example.com/console`. Questions that nobody can
   * answer where they are read link to it.
   */
  @Option({ operatorOnly: true })
  @IsOptional()
  @Matches(/^https?:\/\/[^\s/?#]+(?:\/[^\s/?#]+)*$/, {
    message: 'must be a URL without a trailing slash, such as https://hooks.example.com/console',
  })
  @IsString()
  consoleUrl?: string;

  /** Agents that requests and mappings may name. Absent or containing `*`: any. `[]`: none. */
  @Option({ operatorOnly: true })
  @IsOptional()
  @TextList()
  allowedAgentIds?: string[];

  /** Session of agent runs that name none. Absent: a fresh `hook:<uuid>` each. */
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank; set a key or remove it' })
  defaultSessionKey?: string;

  /** Whether `sessionKey` of an agent payload is accepted. @default false */
  @IsBoolean()
  allowRequestSessionKey = false;

  /** Prefixes that session keys named by requests and mappings must have. Absent or empty: any. */
  @Option({ operatorOnly: true })
  @IsOptional()
  @TextList()
  @Matches(/\S/, { each: true, message: 'must not hold a blank prefix; it would allow every key' })
  allowedSessionKeyPrefixes?: string[];

  /** Built-in mappings to enable, by name: `mail`, `alertmanager`, … (docs/presets.md). @default [] */
  @Option({ merge: 'unite' })
  @TextList()
  presets: string[] = [];

  /** How senders sign of which there is no scheme, by the name that `verify.scheme` takes. @default {} */
  @SectionMap(SchemeOptions)
  schemes = new Map<string, SchemeOptions>();

  /** Custom hooks, in order: the first that matches wins, presets come after. @default [] */
  @Option({ merge: 'append' })
  @SectionList(MappingOptions)
  mappings: MappingOptions[] = [];

  /** Where the modules of transforms are: relative to `<config dir>/transforms` or absolute inside it. Default: that directory. */
  @OptionalText()
  transformsDir?: string;

  /** What one call of a transform may cost, and how many run at once. */
  @Section(TransformLimitsOptions)
  transformLimits = new TransformLimitsOptions();

  /**
   * Largest body in bytes; exactly that passes. 1 to 67,108,864. Absent: 1,048,576, and more for presets whose senders send
   * more, at most `maxInFlightBytes`.
   */
  @IsOptional()
  @WholeNumber(1, MAX_BODY_BYTES)
  maxBodyBytes?: number;

  /**
   * Bytes of bodies that may be in flight at a time, announced or read and not stored yet; above it senders get 503
   * `intake_busy`. A body costs up to six times its size in memory. 1 to 4,294,967,296. Absent: a thirty-second of the memory
   * that the container or the machine has, at most 67,108,864.
   */
  @IsOptional()
  @WholeNumber(1, 4_294_967_296)
  maxInFlightBytes?: number;

  /** How long a sender may take for the whole body, in seconds. Over 0, at most 600. @default 30 */
  @PositiveNumber(600)
  bodyTimeoutSeconds = 30;

  /** How many failed authentications one client address may have, over all hook endpoints. */
  @Section(AuthFailuresOptions)
  authFailures = new AuthFailuresOptions();

  /** How long idempotency keys are remembered, in hours, over 0 and at most 8,760. @default 72 */
  @PositiveNumber(8_760)
  idempotencyHours = 72;

  /**
   * `always`: every run posts a summary into the main session. `unless-delivered`: only when its reply was not
   * delivered. @default 'always'
   */
  @IsIn(['always', 'unless-delivered'])
  summary: 'always' | 'unless-delivered' = 'always';
}

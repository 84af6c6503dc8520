import { applyDecorators } from '@nestjs/common';
import {
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  ValidateIf,
} from 'class-validator';
import { getField } from '../../platform/objects.ts';
import { durationMs } from '../../platform/time.ts';
import type { RunnerSettings } from '../ports/index.ts';
import { AsMap, HttpUrl, IsAMap, Rule, WholeNumber } from './key-kinds.ts';
import { Option } from './option.ts';
import { isWaitingTime } from './wait-for-option.ts';

/** Every way to run an agent, `agents.list[].runner.type`. */
const RUNNER_TYPES = ['model', 'demo', 'command', 'http'] as const;
export type RunnerType = (typeof RUNNER_TYPES)[number];

/** Who keeps a conversation with another gateway, `agents.list[].runner.sessions`. */
const SESSION_KEEPERS = ['here', 'gateway'] as const;

/** Whose way to ask a program has, `agents.list[].runner.permissionPrompt`. */
const PERMISSION_PROMPTS = ['claude-code'] as const;

const NO_NUL = /^[^\0]*$/;
/** A path with a slash would depend on the workspace, which belongs to the agent. */
const PROGRAM = /^(?:\/[^\0]+|[^/\0]+)$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `a.b.c` */
const PATH = /^[^.\s]+(?:\.[^.\s]+)*$/;

/** `agents.list[].runner` and `agents.defaults.runner`: how the turns of an agent are run. Each key belongs to one type. */
export class RunnerOptions {
  /** `model` (as without a runner), `demo`, `command` (a program on this machine) or `http` (another gateway): docs/agents.md. */
  @IsIn(RUNNER_TYPES)
  type!: RunnerType;

  /** Type `command`: program name, found by PATH, or absolute path. */
  @RequiredBy('command')
  @Matches(PROGRAM, { message: 'must be the name of a program or an absolute path' })
  command?: string;

  /** Type `command`: its arguments, as they are: there is no shell. @default [] */
  @Option({ secret: 'inside' })
  @OptionalFor('command')
  @IsTextList(NO_NUL, 'must be a list of texts without NUL characters')
  args?: string[];

  /** Type `command`: arguments, instead of `args`, that continue a conversation; `{session}` is the program's own id of it. */
  @Option({ secret: 'inside' })
  @OptionalFor('command')
  @NeedsKey('sessionIdPath', 'says where the program tells its session id')
  @HoldsSession()
  @IsTextList(NO_NUL, 'must be a list of texts without NUL characters')
  resumeArgs?: string[];

  /** Type `command`: `text`, the whole output is the reply; `json`, the reply is at `resultPath`. @default 'text' */
  @OptionalFor('command')
  @IsIn(['text', 'json'])
  output?: 'text' | 'json';

  /** Type `command` with JSON output: path to the reply, names joined by dots. @default 'result' */
  @OptionalFor('command')
  @NeedsKey('output', 'must then be json', 'json')
  @Matches(PATH, { message: 'must be names joined by dots, for example result.text' })
  resultPath?: string;

  /** Type `command` with JSON output: path to the program's own session id. Default: none. */
  @OptionalFor('command')
  @NeedsKey('output', 'must then be json', 'json')
  @Matches(PATH, { message: 'must be names joined by dots, for example session_id' })
  sessionIdPath?: string;

  /**
   * Type `command`: names of variables it is given beside PATH, HOME, LANG and TZ. One that holds a token of the
   * service is refused. @default []
   */
  @Option({ secret: 'inside' })
  @OptionalFor('command')
  @IsTextList(VARIABLE, 'must be a list of names of environment variables')
  env?: string[];

  /**
   * Type `command`: how the program asks whether it may call a tool, so that `approve: "tools"` has a person decide.
   * `claude-code`: as Claude Code in print mode, with the arguments for that added. Absent: it asks nobody.
   */
  @OptionalFor('command')
  @NeedsKey('resumeArgs', 'continues the conversation once a person has decided')
  @AsksAtAll()
  @IsIn(PERMISSION_PROMPTS)
  permissionPrompt?: (typeof PERMISSION_PROMPTS)[number];

  /** Type `http`: where the OpenAI-compatible server is, for example `http://127.0.0.1:18789/v1`. */
  @Option({ secret: 'inside' })
  @RequiredBy('http')
  @HttpUrl('http://127.0.0.1:18789/v1')
  baseUrl?: string;

  /** Type `http`: sent as a bearer token. Absent: none is sent. */
  @Option({ secret: true })
  @OptionalFor('http')
  @IsString()
  @IsNotEmpty()
  apiKey?: string;

  /** Type `http`: what is sent as `model`; `{agent}` is the agent's id. @default '{agent}' */
  @OptionalFor('http')
  @IsString()
  @IsNotEmpty()
  model?: string;

  /**
   * Type `http`: `reply`, the answer to the request is the agent's; `callback`, the agent is started there, and says later
   * what became of it. @default 'reply'
   */
  @OptionalFor('http')
  @IsIn(['reply', 'callback'])
  mode?: 'reply' | 'callback';

  /**
   * Mode `callback`: how it is started and asked; `a2a` is Agent2Agent 1.0 over JSON-RPC. @default 'plain'
   */
  @OptionalFor('http')
  @NeedsKey('mode', 'must then be callback', 'callback')
  @IsIn(['plain', 'a2a'])
  protocol?: 'plain' | 'a2a';

  /**
   * Protocol `plain`: what is posted to start it, with `{prompt}`, `{id}`, `{agent}`, `{session}`, `{callbackUrl}` and
   * `{callbackToken}` in its texts. Default: all of them and what else it may need.
   */
  @Option({ secret: 'inside' })
  @OptionalFor('http')
  @NeedsKey('mode', 'must then be callback', 'callback')
  @IsObject()
  body?: Record<string, unknown>;

  /** Mode `callback`: how often it is asked how it stands, where it can be asked, 1 to 86,400 seconds. @default 60 */
  @OptionalFor('http')
  @NeedsKey('mode', 'must then be callback', 'callback')
  @WholeNumber(1, 86_400)
  pollSeconds?: number;

  /** Mode `callback`: how long it may take, `1m` to `2160h` (90 days); then it is told to end, and its run fails. @default '24h' */
  @OptionalFor('http')
  @NeedsKey('mode', 'must then be callback', 'callback')
  @Rule('waitingTime', isWaitingTime, 'must be a duration from 1m to 2160h')
  until?: string;

  /**
   * Type `http`: who keeps the conversation. `here`: each request brings the earlier messages. `gateway`: the gateway
   * remembers them under the name that one of the headers gives it with `{session}`. @default 'here'
   */
  @OptionalFor('http')
  @IsIn(SESSION_KEEPERS)
  @NamesSession()
  sessions?: (typeof SESSION_KEEPERS)[number];

  /** Type `http`: headers of each request; `{agent}`, `{session}` and `{contract}` are filled in. @default {} */
  @Option({ secret: 'inside' })
  @OptionalFor('http')
  @IsAMap()
  @SendableHeaders()
  @AsMap()
  headers?: Map<string, string>;
}

/** Checked options of a runner as its adapter takes them, defaults filled in. */
export function runnerSettings(options: RunnerOptions | undefined): RunnerSettings | undefined {
  if (options === undefined) return undefined;
  const { type } = options;
  if (type === 'command') return commandSettings(options);
  if (type === 'http') return gatewaySettings(options);
  return { type };
}

function commandSettings(options: RunnerOptions): RunnerSettings {
  const { command = '', args = [], resumeArgs, sessionIdPath, env = [] } = options;
  const { output = 'text', resultPath = 'result', permissionPrompt } = options;
  const settings = { args, resumeArgs, output, resultPath, sessionIdPath, env, permissionPrompt };
  return { type: 'command', command, ...settings };
}

function gatewaySettings(options: RunnerOptions): RunnerSettings {
  const { baseUrl = '', apiKey, model = '{agent}', sessions = 'here' } = options;
  const headers = Object.fromEntries(options.headers ?? []);
  if (options.mode === 'callback') {
    const { protocol = 'plain', body, pollSeconds = 60, until = '24h' } = options;
    const withinMs = durationMs(until);
    return { type: 'callback', baseUrl, apiKey, headers, protocol, body, pollSeconds, withinMs };
  }
  return { type: 'http', baseUrl, apiKey, model, sessions, headers };
}

/** The key that decides which others may stand beside it. */
interface Typed {
  readonly type: RunnerType;
}

/** A key that this type cannot do without, and no other type may have. */
function RequiredBy(type: RunnerType): PropertyDecorator {
  return applyDecorators(
    BelongsTo(type),
    ValidateIf((runner: Typed, value) => runner.type === type || isStray(runner, value)),
  );
}

/** A key that only this type may have. */
function OptionalFor(type: RunnerType): PropertyDecorator {
  return applyDecorators(
    BelongsTo(type),
    ValidateIf((runner: Typed, value) => runner.type === type || isStray(runner, value)),
    IsOptional(),
  );
}

/** Under an unknown type nothing can be said about the other keys. */
function isStray({ type }: Typed, value: unknown): boolean {
  return value !== undefined && RUNNER_TYPES.includes(type);
}

function BelongsTo(type: RunnerType): PropertyDecorator {
  return Rule(
    'belongsTo',
    (_, runner) => getField(runner, 'type') === type,
    `belongs to a runner of type ${type}; remove it or set type to ${type}`,
  );
}

/** A key that makes sense only with another one, or only with one value of it. */
function NeedsKey(other: string, why: string, wanted?: string): PropertyDecorator {
  return Rule(
    'needsKey',
    (_, runner) => {
      const found = getField(runner, other);
      return wanted === undefined ? found !== undefined : found === wanted;
    },
    `needs ${other}, which ${why}`,
  );
}

/** Switches of Claude Code by which it asks about nothing. */
const UNASKED = /dangerously-skip-permissions|bypassPermissions/;

/** A program that is told to ask nobody has no question. */
function AsksAtAll(): PropertyDecorator {
  return Rule(
    'asksAtAll',
    (_, runner) =>
      ![getField(runner, 'args'), getField(runner, 'resumeArgs')].flat().some(isUnasked),
    'asks nobody while the arguments tell the program to call every tool: remove --dangerously-skip-permissions and bypassPermissions from args and resumeArgs',
  );
}

function isUnasked(arg: unknown): boolean {
  return UNASKED.test(String(arg));
}

/** Arguments with a place for the program's own session id. */
function HoldsSession(): PropertyDecorator {
  return Rule(
    'holdsSession',
    (value) => !Array.isArray(value) || value.some(hasSession),
    'must have {session} in one of the arguments',
  );
}

/** A gateway that keeps the conversation must be told which one it is. */
function NamesSession(): PropertyDecorator {
  return Rule(
    'namesSession',
    (value, runner) => value !== 'gateway' || hasSessionHeader(getField(runner, 'headers')),
    'needs a header that names the session: add one with {session} to headers, or set sessions to here',
  );
}

function hasSessionHeader(headers: unknown): boolean {
  return headers instanceof Map && [...headers.values()].some((value) => hasSession(value));
}

function hasSession(value: unknown): boolean {
  return String(value).includes('{session}');
}

function IsTextList(form: RegExp, message: string): PropertyDecorator {
  const isText = (value: unknown): boolean => typeof value === 'string' && form.test(value);
  const areTexts = (value: unknown): boolean => !Array.isArray(value) || value.every(isText);
  return applyDecorators(Rule('texts', areTexts, message), IsArray());
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Headers that make the request what it is. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|content-(?:type|length|encoding)|transfer-encoding|te|trailer|upgrade|expect)$/i;

function isHeader([name, value]: [string, unknown]): boolean {
  const isName = HEADER_NAME.test(name) && !OWN_HEADERS.test(name);
  return isName && typeof value === 'string' && HEADER_VALUE.test(value);
}

function SendableHeaders(): PropertyDecorator {
  return Rule(
    'headers',
    (value) => !(value instanceof Map) || [...value].every(isHeader),
    (value) => {
      const wrong = value instanceof Map ? [...value].find((entry) => !isHeader(entry)) : [];
      return `has a header that cannot be sent (${String(wrong?.[0])}): names are letters, digits and hyphens, values one line of printable ASCII, and what describes the request itself (host, content-type, …) is ours`;
    },
  );
}

import { IsIn, IsInstance, IsNotEmpty, IsString, IsUrl, Matches } from 'class-validator';
import { AsMap } from './as-map.ts';
import {
  HoldsSession,
  IsTextList,
  NeedsKey,
  OptionalFor,
  RequiredBy,
  RUNNER_TYPES,
  SendableHeaders,
} from './runner-rules.ts';
import type { RunnerType } from './runner-rules.ts';

const NO_NUL = /^[^\0]*$/;
/** A path with a slash would depend on the workspace, which belongs to the agent. */
const PROGRAM = /^(?:\/[^\0]+|[^/\0]+)$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `a.b.c` */
const PATH = /^[^.\s]+(?:\.[^.\s]+)*$/;

/** `agents.list[].runner` and `agents.defaults.runner`: how the turns of an agent are run. Each key belongs to one type. */
export class RunnerOptions {
  /** `model` (as without a runner), `demo`, `command` (a program on this machine) or `http` (another gateway). */
  @IsIn(RUNNER_TYPES)
  type!: RunnerType;

  /** `command`: program name, found by PATH, or absolute path. */
  @RequiredBy('command')
  @Matches(PROGRAM, { message: 'must be the name of a program or an absolute path' })
  command?: string;

  /** `command`: its arguments, as they are: there is no shell. Default: none. */
  @OptionalFor('command')
  @IsTextList(NO_NUL, 'must be a list of texts without NUL characters')
  args?: string[];

  /** `command`: arguments that continue a conversation; `{session}` is the program's own id of it. */
  @OptionalFor('command')
  @NeedsKey('sessionIdPath', 'says where the program tells its session id')
  @HoldsSession()
  @IsTextList(NO_NUL, 'must be a list of texts without NUL characters')
  resumeArgs?: string[];

  /** `command`: `text` (default), the whole output is the reply; `json`, the reply is at `resultPath`. */
  @OptionalFor('command')
  @IsIn(['text', 'json'])
  output?: 'text' | 'json';

  /** `command` with JSON output: path to the reply. Default `result`. */
  @OptionalFor('command')
  @NeedsKey('output', 'must then be json', 'json')
  @Matches(PATH, { message: 'must be names joined by dots, for example result.text' })
  resultPath?: string;

  /** `command` with JSON output: path to the program's own session id. Default: none. */
  @OptionalFor('command')
  @NeedsKey('output', 'must then be json', 'json')
  @Matches(PATH, { message: 'must be names joined by dots, for example session_id' })
  sessionIdPath?: string;

  /** `command`: names of variables it is given beside PATH, HOME, LANG and TZ. Default: none. */
  @OptionalFor('command')
  @IsTextList(VARIABLE, 'must be a list of names of environment variables')
  env?: string[];

  /** `http`: where the OpenAI-compatible server is, for example `http://127.0.0.1:18789/v1`. */
  @RequiredBy('http')
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be a URL such as http://127.0.0.1:18789/v1' },
  )
  baseUrl?: string;

  /** `http`: sent as a bearer token. Default: none is sent. */
  @OptionalFor('http')
  @IsString()
  @IsNotEmpty()
  apiKey?: string;

  /** `http`: what is sent as `model`; `{agent}` is the agent's id. Default `{agent}`. */
  @OptionalFor('http')
  @IsString()
  @IsNotEmpty()
  model?: string;

  /** `http`: headers of each request; `{agent}`, `{session}` and `{contract}` are filled in. Default: none. */
  @OptionalFor('http')
  @IsInstance(Map, { message: 'must be an object' })
  @SendableHeaders()
  @AsMap()
  headers?: Map<string, string>;
}

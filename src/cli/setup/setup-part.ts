import { parseEnv } from 'node:util';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../platform/http-client.ts';
import type { Environment, Inspection, Variables } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { PlannedFragment } from '../config/planned-files.ts';
import { asShortLine } from '../foreign-text.ts';
import type { Prompts } from '../prompts.ts';
import { VARIABLE } from '../senders/sender-secrets.ts';
import type { Terminal } from '../terminal.ts';

// A part asks for what no flag says, tries it, and comes back with what is to be written; it writes nothing.

export interface SetupPart {
  readonly fragment: PlannedFragment;
  /** Lines of .env that the fragment refers to. */
  readonly variables: Variables;
  readonly found: string;
}

export interface PartContext {
  readonly terminal: Terminal;
  /** Undefined: nobody is there to be asked. */
  readonly prompts: Prompts | undefined;
  readonly here: Inspection;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

export interface KeptSecret {
  readonly variable: string;
  readonly value: string;
  /** What has to be written so that the service has it, too. */
  readonly variables: Variables;
}

const TIMEOUT_MS = 15_000;

/** The answer of a platform. @throws CliError (3) where there is none */
export async function askPlatform(
  name: string,
  url: string,
  request: HttpRequest,
): Promise<HttpAnswer> {
  try {
    return await sendHttp(url, { timeoutMs: TIMEOUT_MS, ...request });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new CliError(`${name} does not answer: ${error.message}`, undefined, EXIT.unreachable);
  }
}

/** What a platform says, cut to what fits into a sentence; the secret never shows. */
export function words(text: string | undefined, secret = ''): string {
  const shown = text ?? 'without saying why';
  return asShortLine(secret === '' ? shown : shown.replaceAll(secret, '***'), 200);
}

/** Of the flag's variable, else of `usual` where set, else as it is typed. @throws CliError (2) where it is nowhere */
export async function findSecret(
  context: PartContext,
  asked: {
    what: string;
    where?: string;
    flag: string;
    given: string | undefined;
    usual: string;
  },
): Promise<KeptSecret> {
  const { terminal, prompts, here } = context;
  const { what, where, flag, given, usual } = asked;
  const variable = given ?? usual;
  if (!VARIABLE.test(variable)) {
    throw new CliError(`${flag} must be the name of a variable.`, undefined, EXIT.usage);
  }
  const value = keptText(context, variable);
  if (value !== '') {
    // A variable of this shell alone is one that the service does not have.
    const isHere = variable in parseEnv(here.files.dotenv ?? '');
    return { variable, value, variables: isHere ? {} : { [variable]: value } };
  }
  if (given !== undefined || prompts === undefined) {
    const hint = `Set ${variable} in the environment or in .env, or name another variable with ${flag}.`;
    throw new CliError(`${what} is missing: ${variable} is not set.`, hint, EXIT.usage);
  }
  if (where !== undefined) terminal.note(where);
  const typed = (await prompts.password(`${what} (it is kept in .env)`)).trim();
  return { variable, value: typed, variables: { [variable]: typed } };
}

/** What a variable holds for the service or this shell; '': nothing. */
export function keptText({ here, env }: PartContext, variable: string): string {
  return ({ ...here.env, ...env }[variable] ?? '').trim();
}

export function needAnswer(what: string, flag: string): CliError {
  return new CliError(`${what} is missing.`, `Say it with ${flag}.`, EXIT.usage);
}

/** An address without a slash at its end, as the flag says it or a person types it. @throws CliError (2) where neither does */
export async function findUrl(
  { prompts }: Pick<PartContext, 'prompts'>,
  asked: { what: string; flag: string; given: string | undefined; message: string },
): Promise<string> {
  const { what, flag, given, message } = asked;
  if (given === undefined && prompts === undefined) throw needAnswer(what, flag);
  const validate = (text: string): string | undefined =>
    /^https?:\/\/[^\s@]+$/.test(text) ? undefined : 'Write it as https://…';
  const answer = given ?? (await prompts?.text({ message, validate })) ?? '';
  return answer.replace(/\/+$/, '');
}

import { text } from 'node:stream/consumers';
import { expandVariables, literal } from '../../service/index.ts';
import type { Environment } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import type { Terminal } from '../terminal.ts';

// A secret is no argument of its own where it can be helped: every user of the machine can read those.

export const SECRET_OPTIONS = [
  option(
    '--secret <text>',
    "the secret; a command line stays in the shell's history and shows in ps, so rather one of the others",
  ),
  option('--secret-env <name>', 'variable that holds the secret'),
] as const;

/** A secret in a variable that the configuration names, or as it was given. */
export type GivenSecret = { readonly variable: string } | { readonly value: string };

export interface SecretFlags {
  readonly secret?: string;
  readonly secretEnv?: string;
  readonly secretStdin?: boolean;
}

export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What the flags say; undefined: nothing. @throws CliError for more than one, or one that holds nothing */
export async function readGivenSecret(
  { secret, secretEnv, secretStdin }: SecretFlags,
  terminal: Terminal,
): Promise<GivenSecret | undefined> {
  const given = [secret, secretEnv, secretStdin].filter((flag) => flag !== undefined);
  if (given.length > 1) {
    throw new CliError('The secret is given more than once.', 'Keep one of the flags.', EXIT.usage);
  }
  if (secretEnv !== undefined) {
    if (VARIABLE.test(secretEnv)) return { variable: secretEnv };
    throw new CliError('--secret-env must be the name of a variable.', undefined, EXIT.usage);
  }
  if (secret === undefined && secretStdin !== true) return undefined;
  const value = (secret ?? (await text(terminal.streams.stdin))).trim();
  if (value === '') throw new CliError('The secret is blank.', undefined, EXIT.usage);
  if (!/\p{Cc}/u.test(value)) return { value };
  throw new CliError('The secret is more than one line of text.', undefined, EXIT.usage);
}

/** Typed unseen. @throws CliError where nobody sits there, with that hint */
export async function askSecret(terminal: Terminal, what: string, hint: string): Promise<string> {
  if (terminal.prompts !== undefined) return (await terminal.prompts.password(what)).trim();
  throw new CliError(`${what} is missing, and there is no terminal to ask on.`, hint, EXIT.usage);
}

/** What the service makes of a secret that the configuration has. */
export function readSecret(written: string, env: Environment): string {
  const { value } = expandVariables(written, env);
  return typeof value === 'string' ? value : '';
}

export function writtenSecret(secret: GivenSecret): string {
  return 'variable' in secret ? `\${${secret.variable}}` : literal(secret.value);
}

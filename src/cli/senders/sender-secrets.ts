import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Preset, SignatureScheme } from '../../hooks/index.ts';
import { expandVariables, literal, newToken, proofKind, senderName } from '../../service/index.ts';
import type { Environment } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import type { PresentSender } from './setup-plan.ts';

/*
 * The secrets that a sender signs with: how a command line gives one (never as an argument of its own where it can be
 * helped: every user of the machine can read those), and which ones a sender has after `hooks setup`. None is ever
 * replaced there: a new one is put before the others, which go on counting until a person says that they need not.
 */

/** How a command line gives the secret that a sender signs with. */
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

/** What a variable of the environment may be named. */
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

/** Its text. @throws CliError where its variable is not set */
export function secretText(secret: GivenSecret, env: Environment): string {
  if ('value' in secret) return secret.value;
  const value = (env[secret.variable] ?? '').trim();
  if (value !== '') return value;
  const hint = 'Set it in the environment, or in .env of the configuration.';
  throw new CliError(`The variable ${secret.variable} is not set.`, hint, EXIT.usage);
}

/**
 * Asks the person at the terminal, who types it unseen.
 * @param what the secret of whom
 * @throws CliError where nobody sits there, with that hint
 */
export async function askSecret(terminal: Terminal, what: string, hint: string): Promise<string> {
  if (terminal.prompts !== undefined) return (await terminal.prompts.password(what)).trim();
  throw new CliError(`${what} is missing, and there is no terminal to ask on.`, hint, EXIT.usage);
}

/** What the command line says about the secrets of a sender. */
export interface SecretChange {
  readonly given: GivenSecret | undefined;
  /** True: a further one, beside those that are there. */
  readonly rotate: boolean;
  /** True: only the newest of those that are there. */
  readonly retireOld: boolean;
}

/**
 * The secrets that the fragment of a sender is to have, as the configuration writes them, newest first; undefined where
 * they are none of its business.
 * @param ask the secret that the sender has made
 * @throws CliError when there is nothing to change, or not here
 */
export async function decideSecrets(
  { preset, scheme }: { readonly preset: Preset; readonly scheme: SignatureScheme | undefined },
  present: PresentSender,
  { given, rotate, retireOld }: SecretChange,
  ask: (scheme: SignatureScheme) => Promise<string>,
): Promise<readonly string[] | undefined> {
  const kind = proofKind(preset);
  const name = senderName(preset);
  if (kind === 'token' || scheme === undefined) {
    if (given === undefined && !retireOld) return undefined;
    const hint = retireOld
      ? `To end its old tokens: hooks token retire ${preset.id} --old`
      : 'It is made here: leave the secret out.';
    throw new CliError(`${name} sends a token of ours and has no secret.`, hint, EXIT.usage);
  }
  const { secrets: kept, elsewhere } = present;
  if (elsewhere !== undefined) {
    const isChange = rotate || retireOld || given !== undefined;
    if (elsewhere.secrets.length > 0 && !isChange) return undefined;
    throw belongsElsewhere(preset, elsewhere.place);
  }
  if (retireOld) {
    if (kept.length > 0) return kept.slice(0, 1);
    throw new CliError(`${name} has no secret yet.`, undefined, EXIT.usage);
  }
  if (given !== undefined) {
    const secret = writtenSecret(given);
    if (kept.includes(secret)) return kept;
    if (kept.length === 0 || rotate) return [secret, ...kept];
    const hint = 'To let both count, add --rotate.';
    throw new CliError(`nothing was changed: ${name} has another secret already`, hint);
  }
  if (kept.length > 0 && !rotate) return kept;
  const value = kind === 'own-secret' ? newSecret(scheme) : await ask(scheme);
  return [writtenSecret({ value }), ...kept];
}

/** What the service makes of a secret that the configuration has. */
export function readSecret(written: string, env: Environment): string {
  const { value } = expandVariables(written, env);
  return typeof value === 'string' ? value : '';
}

function writtenSecret(secret: GivenSecret): string {
  return 'variable' in secret ? `\${${secret.variable}}` : literal(secret.value);
}

/** 32 random bytes in the form that the scheme takes. */
function newSecret({ proofs: [proof] }: SignatureScheme): string {
  if (proof?.kind === 'basic') return `hooks:${newToken()}`;
  if (proof?.kind !== 'signature') return newToken();
  if (proof.secretForm === 'base64') return `whsec_${randomBytes(32).toString('base64')}`;
  return proof.secretForm === 'hex' ? randomBytes(32).toString('hex') : newToken();
}

function belongsElsewhere({ id }: Preset, place: string): CliError {
  return new CliError(
    `nothing was changed: ${place} is the mapping of ${id}, and its secrets belong there`,
    "your own files are not edited: write verify: { secrets: ['…'] } there, the newest first, and run the command again",
  );
}

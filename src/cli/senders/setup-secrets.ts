import { randomBytes } from 'node:crypto';
import type { Preset, SignatureScheme } from '../../hooks/index.ts';
import {
  expandVariables,
  literal,
  newToken,
  proofKind,
  schemeOf,
  senderName,
} from '../../service/index.ts';
import type { Environment } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { GivenSecret } from './secret-options.ts';
import type { PresentSender } from './setup-plan.ts';

/*
 * Which secrets a sender has after `hooks setup`. None is ever replaced: a new one is put before the others, which go on
 * counting until a person says that they need not.
 */

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
  preset: Preset,
  present: PresentSender,
  { given, rotate, retireOld }: SecretChange,
  ask: (scheme: SignatureScheme) => Promise<string>,
): Promise<readonly string[] | undefined> {
  const scheme = schemeOf(preset);
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

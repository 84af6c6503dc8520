import { resolve } from 'node:path';
import { TokenFile } from '../../service/index.ts';
import type { Environment } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';

/*
 * What relay and listener show each other: 256 random bits, in a variable or in a file of mode 0600. It is never an
 * argument: every user of a machine can read those.
 */

const VARIABLE = 'HOOKS_RELAY_SECRET';
const DEFAULT_FILE = 'relay-secret';

export const SECRET_FILE_OPTION = option(
  '--secret-file <file>',
  `file with the secret, which "hooks relay" makes (default: ${DEFAULT_FILE}, unless ${VARIABLE} is set)`,
);

/** Where a secret is looked for. */
export interface SecretPlace {
  readonly env: Environment;
  readonly cwd: string;
  readonly secretFile: string | undefined;
}

/** The secret of this relay, made with its first start. @throws CliError for one that could be guessed; ConfigurationError */
export function ownSecret(place: SecretPlace): string {
  return checked(given(place) ?? fileOf(place).readOrCreate());
}

/** The secret of a relay elsewhere. @throws CliError when it is not here; ConfigurationError when it cannot be read */
export function givenSecret(place: SecretPlace): string {
  const file = fileOf(place);
  const secret = given(place) ?? file.read();
  if (secret !== undefined) return checked(secret);
  throw new CliError(
    'The secret of the relay is not here.',
    `"hooks relay" wrote it into its relay-secret: put it into ${file.path} (mode 0600), or set ${VARIABLE}.`,
    EXIT.usage,
  );
}

/** A file that the command line names is meant, whatever the environment says. */
function given({ env, secretFile }: SecretPlace): string | undefined {
  const secret = secretFile === undefined ? env[VARIABLE]?.trim() : undefined;
  return secret === '' ? undefined : secret;
}

function fileOf({ cwd, secretFile = DEFAULT_FILE }: SecretPlace): TokenFile {
  return new TokenFile(resolve(cwd, secretFile), '--secret-file');
}

function checked(secret: string): string {
  if (/^[\w-]{43,}$/.test(secret)) return secret;
  throw new CliError(
    'The secret of the relay is not one of 256 bits.',
    'Make one with: hooks token new',
    EXIT.usage,
  );
}

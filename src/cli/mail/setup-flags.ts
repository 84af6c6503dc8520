import { CliError, EXIT } from '../cli-error.ts';

/** What was said on the command line. Secrets are named, never given: a command line shows in `ps`. */
export interface SetupFlags {
  readonly account?: string;
  readonly host?: string;
  readonly port?: number;
  readonly starttls?: boolean;
  readonly user?: string;
  readonly passwordEnv?: string;
  readonly passwordStdin?: boolean;
  readonly oauth2?: boolean;
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly refreshTokenEnv?: string;
  readonly tokenUrl?: string;
  readonly scope?: string;
  readonly mailbox?: readonly string[];
  /** False: `--no-body`. */
  readonly body?: boolean;
  readonly maxBytes?: number;
  readonly model?: string;
  readonly thinking?: string;
  /** False: `--no-check`. */
  readonly check?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const OF_OAUTH2 = ['clientId', 'clientSecretEnv', 'refreshTokenEnv', 'tokenUrl', 'scope'] as const;

/** @throws CliError for flags that contradict each other */
export function checkFlags(flags: SetupFlags): void {
  const ways = [flags.passwordEnv, flags.passwordStdin, flags.oauth2].filter(Boolean);
  if (ways.length > 1) {
    throw wrong('choose one of --password-env, --password-stdin and --oauth2');
  }
  const stray = OF_OAUTH2.find((flag) => flags[flag] !== undefined);
  if (stray !== undefined && flags.oauth2 !== true) {
    throw wrong(`--${dashed(stray)} is for --oauth2`);
  }
  for (const flag of ['passwordEnv', 'clientSecretEnv', 'refreshTokenEnv'] as const) {
    const name = flags[flag];
    if (name !== undefined && !VARIABLE.test(name)) {
      throw wrong(`--${dashed(flag)} takes the name of a variable, not its value`);
    }
  }
}

/** A question that nobody can be asked. @throws always */
export function missingFlag(flag: string, what: string): never {
  throw wrong(`${what} is needed: add ${flag}, or run this in a terminal to be asked`);
}

/** @throws CliError when it is no whole number */
export function wholeNumber(flag: string, written: string): number {
  if (/^\d{1,10}$/.test(written)) return Number(written);
  throw wrong(`--${flag} takes a whole number`);
}

function wrong(message: string): CliError {
  return new CliError(message, 'see "hooks mail setup --help"', EXIT.usage);
}

function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, flagOf, option } from '../command.ts';
import type { OptionValues } from '../command.ts';
import type { Sections } from '../../service/index.ts';
import type { Prompts } from '../prompts.ts';
import { VARIABLE } from '../senders/sender-secrets.ts';
import type { GivenSecret } from '../senders/sender-secrets.ts';
import { findMailServer, knownMailServer, splitAddress } from './mail-server.ts';
import type { MailLookups, MailServer } from './mail-server.ts';

// Only a person, a flag or the network is asked here; what the answers mean is in setup-plan.ts.

/** Secrets are named, never given: a command line shows in `ps`. */
export const SETUP_OPTIONS = [
  option('--account <address>', 'address of the mailbox'),
  option('--host <name>', 'IMAP server; found by the address when left out'),
  option('--port <number>', 'its port; 993, with --starttls 143', wholeNumber('--port')),
  option('--starttls', 'STARTTLS in place of TLS from the first byte'),
  option('--user <name>', 'login name, when it is not the address'),
  option('--password-env <name>', 'variable that holds the password'),
  option('--password-stdin', 'read the password from stdin'),
  option('--oauth2', 'log in with access tokens'),
  option('--client-id <id>', 'OAuth2: id of your app'),
  option('--client-secret-env <name>', 'OAuth2: variable with its secret'),
  option('--refresh-token-env <name>', 'OAuth2: variable with the refresh token'),
  option('--token-url <url>', 'OAuth2: token endpoint'),
  option('--scope <scope>', 'OAuth2: scope to ask for'),
  option('--mailbox <name...>', 'mailboxes to watch; INBOX', collect),
  option('--no-body', 'send sender, subject and snippet only'),
  option('--max-bytes <number>', 'most bytes to fetch of one message', wholeNumber('--max-bytes')),
  option('--model <model>', 'model for mail'),
  option('--thinking <level>', 'thinking level for mail'),
  option('--no-check', 'write without trying the login'),
  option('--dry-run', 'try and show, write nothing'),
  option('-y, --yes', 'do not ask before writing'),
  JSON_OPTION,
] as const;

export type SetupFlags = OptionValues<typeof SETUP_OPTIONS>;

const OF_OAUTH2 = ['clientId', 'clientSecretEnv', 'refreshTokenEnv', 'tokenUrl', 'scope'] as const;

export type MailLogin =
  | { readonly kind: 'password'; readonly password: GivenSecret }
  | {
      readonly kind: 'oauth2';
      readonly clientId: string;
      readonly clientSecret: GivenSecret | undefined;
      readonly refreshToken: GivenSecret;
      readonly tokenUrl: string | undefined;
      readonly scope: string | undefined;
    };

/** Everything that `hooks mail setup` has to know. Undefined: as it is, or the default. */
export interface MailAnswers {
  readonly account: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly login: MailLogin;
  readonly mailboxes: readonly string[] | undefined;
  readonly includeBody: boolean | undefined;
  readonly maxBytes: number | undefined;
  readonly model: string | undefined;
  readonly thinking: string | undefined;
}

interface QuestionSources {
  readonly flags: SetupFlags;
  /** Undefined: there is no terminal to ask at. */
  readonly prompts: Prompts | undefined;
  readonly lookups: MailLookups;
  readonly readInput: () => Promise<string>;
  readonly note: (line: string) => void;
  /** `hooks.mail` as it is written. */
  readonly present: Sections;
}

export class SetupQuestions {
  constructor(private readonly from: QuestionSources) {}

  /** @throws CliError when an answer is missing and there is no terminal to ask at */
  async answers(): Promise<MailAnswers> {
    const { flags } = this.from;
    const account = flags.account ?? (await this.#account());
    const server = await this.#server(account);
    const advice = server.provider;
    if (advice !== undefined) this.from.note(`${advice.name} (${server.host}): ${advice.advice}`);
    const user = flags.user ?? server.user;
    return {
      account,
      host: server.host,
      port: server.port,
      secure: server.secure,
      user,
      login: await this.login(server.provider?.needsOAuth2 === true),
      mailboxes: flags.mailbox,
      includeBody: flags.body === false ? false : undefined,
      maxBytes: flags.maxBytes,
      model: flags.model,
      thinking: flags.thinking,
    };
  }

  /** @param needsOAuth2 whether the server takes nothing else */
  async login(needsOAuth2: boolean): Promise<MailLogin> {
    const { flags, prompts } = this.from;
    if (flags.oauth2 === true) return this.#oauth2();
    if (flags.passwordEnv !== undefined) return password(named(flags.passwordEnv));
    if (flags.passwordStdin === true) return password(await this.#passwordOfInput());
    if (prompts === undefined) {
      return missingFlag('--password-env, --password-stdin or --oauth2', 'a login');
    }
    const kind = await prompts.select('How do you log in?', ways(needsOAuth2));
    if (kind === 'oauth2') return this.#oauth2();
    return password(typed(await prompts.password('Password, or app password')));
  }

  async #account(): Promise<string> {
    const { prompts, present } = this.from;
    if (prompts === undefined) return missingFlag('--account', 'the address of the mailbox');
    const { account } = present;
    return prompts.text({
      message: 'Address of the mailbox',
      initialValue: typeof account === 'string' ? account : undefined,
      validate: (answer) => (/^\S+@\S+$/.test(answer) ? undefined : 'Type an address: name@domain'),
    });
  }

  async #server(account: string): Promise<MailServer> {
    const { flags, prompts } = this.from;
    const { host, port, starttls } = flags;
    if (host !== undefined) return { host, port, secure: starttls !== true };
    const [, domain] = splitAddress(account);
    const found = knownMailServer(account) ?? (await this.#searched(account, domain));
    if (found !== undefined) {
      return { ...found, port: port ?? found.port, secure: starttls !== true && found.secure };
    }
    if (prompts === undefined) return missingFlag('--host', `the IMAP server of ${domain}`);
    const asked = await prompts.text({
      message: 'IMAP server',
      initialValue: `imap.${domain}`,
      validate: (answer) => (/^\S+$/.test(answer) ? undefined : 'Type the name of the server'),
    });
    return { host: asked, port, secure: starttls !== true };
  }

  #searched(account: string, domain: string): Promise<MailServer | undefined> {
    this.from.note(`looking for the IMAP server of ${domain}`);
    return findMailServer(account, this.from.lookups);
  }

  async #oauth2(): Promise<MailLogin> {
    const { flags, prompts } = this.from;
    return {
      kind: 'oauth2',
      clientId: flags.clientId ?? (await this.#clientId(prompts)),
      clientSecret: await this.#clientSecret(),
      refreshToken: await this.#refreshToken(),
      tokenUrl: flags.tokenUrl,
      scope: flags.scope,
    };
  }

  async #clientId(prompts: Prompts | undefined): Promise<string> {
    if (prompts === undefined) return missingFlag('--client-id', 'the id of your app');
    const validate = (answer: string): string | undefined =>
      answer === '' ? 'Type the client id' : undefined;
    return prompts.text({ message: 'Client id of your app', validate });
  }

  async #clientSecret(): Promise<GivenSecret | undefined> {
    const { flags, prompts } = this.from;
    if (flags.clientSecretEnv !== undefined) return named(flags.clientSecretEnv);
    if (prompts === undefined || !(await prompts.confirm('Does your app have a client secret?'))) {
      return undefined;
    }
    return typed(await prompts.password('Client secret'));
  }

  async #refreshToken(): Promise<GivenSecret> {
    const { flags, prompts } = this.from;
    if (flags.refreshTokenEnv !== undefined) return named(flags.refreshTokenEnv);
    if (prompts === undefined) return missingFlag('--refresh-token-env', 'a refresh token');
    return typed(await prompts.password('Refresh token'));
  }

  async #passwordOfInput(): Promise<GivenSecret> {
    const value = (await this.from.readInput()).replace(/\r?\n$/, '');
    if (value === '') return missingFlag('the password on stdin', 'a password');
    return typed(value);
  }
}

const PASSWORD = { value: 'password', label: 'a password, or an app password' } as const;
const OAUTH2 = {
  value: 'oauth2',
  label: 'OAuth2: client id and refresh token of your own app',
} as const;

function ways(
  needsOAuth2: boolean,
): readonly [typeof PASSWORD | typeof OAUTH2, typeof PASSWORD | typeof OAUTH2] {
  return needsOAuth2 ? [OAUTH2, PASSWORD] : [PASSWORD, OAUTH2];
}

function named(variable: string): GivenSecret {
  return { variable };
}

function typed(value: string): GivenSecret {
  return { value };
}

function password(secret: GivenSecret): MailLogin {
  return { kind: 'password', password: secret };
}

/** @throws CliError for flags that contradict each other */
export function checkFlags(flags: SetupFlags): void {
  const ways = [flags.passwordEnv, flags.passwordStdin, flags.oauth2].filter(Boolean);
  if (ways.length > 1) {
    throw wrongUsage('choose one of --password-env, --password-stdin and --oauth2');
  }
  const stray = OF_OAUTH2.find((flag) => flags[flag] !== undefined);
  if (stray !== undefined && flags.oauth2 !== true) {
    throw wrongUsage(`${flagOf(stray)} is for --oauth2`);
  }
  for (const flag of ['passwordEnv', 'clientSecretEnv', 'refreshTokenEnv'] as const) {
    const name = flags[flag];
    if (name !== undefined && !VARIABLE.test(name)) {
      throw wrongUsage(`${flagOf(flag)} takes the name of a variable, not its value`);
    }
  }
}

function missingFlag(flag: string, what: string): never {
  throw wrongUsage(`${what} is needed: add ${flag}, or run this in a terminal to be asked`);
}

/** Reads the value of a flag. @throws CliError */
function wholeNumber(flag: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,10}$/.test(text)) return Number(text);
    throw wrongUsage(`${flag} takes a whole number`);
  };
}

function collect(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

function wrongUsage(message: string): CliError {
  return new CliError(message, 'see "hooks mail setup --help"', EXIT.usage);
}

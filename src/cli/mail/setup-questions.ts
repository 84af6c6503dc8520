import type { Environment } from '../../standalone/variables.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import { isSections } from '../../standalone/json5-document.ts';
import { freeName } from '../free-name.ts';
import type { Prompts } from '../prompts.ts';
import type { MailAnswers, MailLogin, Secret } from './mail-answers.ts';
import { findMailServer, knownMailServer, splitAddress } from './mail-server.ts';
import type { MailLookups, MailServer } from './mail-server.ts';
import { missingFlag } from './setup-flags.ts';
import type { SetupFlags } from './setup-flags.ts';

/** What the questions are answered with. */
export interface QuestionSources {
  readonly flags: SetupFlags;
  /** Undefined: nobody can be asked. */
  readonly prompts: Prompts | undefined;
  readonly lookups: MailLookups;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<string>;
  /** Says something to whoever looks. */
  readonly note: (line: string) => void;
  /** `hooks.mail` as it is written. */
  readonly present: Sections;
  readonly env: Environment;
  /** Variables that win over `.env`. */
  readonly processEnv: Environment;
}

/** Gets every answer from its flag, else from the person at the terminal. */
export class SetupQuestions {
  constructor(private readonly from: QuestionSources) {}

  /** @throws CliError when an answer is missing and nobody can be asked */
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
    return password(this.#kept('password', await prompts.password('Password, or app password')));
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

  async #clientSecret(): Promise<Secret | undefined> {
    const { flags, prompts } = this.from;
    if (flags.clientSecretEnv !== undefined) return named(flags.clientSecretEnv);
    if (prompts === undefined || !(await prompts.confirm('Does your app have a client secret?'))) {
      return undefined;
    }
    return this.#kept('clientSecret', await prompts.password('Client secret'));
  }

  async #refreshToken(): Promise<Secret> {
    const { flags, prompts } = this.from;
    if (flags.refreshTokenEnv !== undefined) return named(flags.refreshTokenEnv);
    if (prompts === undefined) return missingFlag('--refresh-token-env', 'a refresh token');
    return this.#kept('refreshToken', await prompts.password('Refresh token'));
  }

  async #passwordOfInput(): Promise<Secret> {
    const value = (await this.from.readInput()).replace(/\r?\n$/, '');
    if (value === '') return missingFlag('the password on stdin', 'a password');
    return this.#kept('password', value);
  }

  /** A secret for `.env`: under the name that `hooks.mail` refers to already, else under one that is free. */
  #kept(kind: keyof typeof VARIABLES, value: string): Secret {
    const { present, env, processEnv } = this.from;
    const name = referenceIn(present['auth'], kind);
    if (name !== undefined && processEnv[name] === undefined) return { name, value };
    return { name: freeName(VARIABLES[kind], value, env), value };
  }
}

const VARIABLES = {
  password: 'MAIL_PASSWORD',
  clientSecret: 'MAIL_CLIENT_SECRET',
  refreshToken: 'MAIL_REFRESH_TOKEN',
} as const;

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

function named(name: string): Secret {
  return { name, value: undefined };
}

function password(secret: Secret): MailLogin {
  return { kind: 'password', password: secret };
}

/** The name in `${NAME}` at that key of `hooks.mail.auth`, or of its `oauth2`. */
function referenceIn(auth: unknown, key: string): string | undefined {
  if (!isSections(auth)) return undefined;
  const oauth2 = isSections(auth['oauth2']) ? auth['oauth2'] : {};
  const written = auth[key] ?? oauth2[key];
  return typeof written === 'string' ? /^\$\{(\w+)\}$/.exec(written)?.[1] : undefined;
}

import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  MaxLength,
} from 'class-validator';
import {
  Option,
  OptionalSection,
  OptionalText,
  Rule,
  THINKING_LEVELS,
  isLoopback,
  resolveSection,
  WholeNumber,
} from '../hooks/index.ts';
import type { Problem, ThinkingLevel } from '../hooks/index.ts';
import { toDecoder } from './reader/charset.ts';

const SECTION = 'hooks.mail';

/** For everything that becomes part of a command to the mail server: one line of text. */
function OneLine(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { message: 'must be one line of text, not blank' }),
    MaxLength(8_192),
  );
}

/** `hooks.mail.auth.oauth2`: how an access token is obtained. */
export class MailOAuth2Options {
  /** The id of your app at the provider. */
  @OneLine()
  clientId!: string;

  /** The secret of your app, best as `${NAME}`. Absent: a public client. */
  @Option({ secret: true })
  @IsOptional()
  @OneLine()
  clientSecret?: string;

  /** Used to obtain access tokens, best as `${NAME}`. */
  @Option({ secret: true })
  @OneLine()
  refreshToken!: string;

  /** Token endpoint, https. Default: that of Google or Microsoft when `hooks.mail.host` is theirs. */
  @Option({ secret: 'inside' })
  @IsOptional()
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be a URL such as https://oauth2.googleapis.com/token' },
  )
  tokenUrl?: string;

  /** Scope to ask for. Default: none for Google, IMAP and offline access for Microsoft. */
  @IsOptional()
  @OneLine()
  scope?: string;
}

/** `hooks.mail.auth`: one of both. */
export class MailAuthOptions {
  /** Password, or app password, best as `${NAME}`. Either this or `oauth2`. */
  @Option({ secret: true, mayHaveBlanks: true })
  @IsOptional()
  @OneLine()
  password?: string;

  /** Instead of a password: access tokens by refresh. */
  @OptionalSection(MailOAuth2Options)
  oauth2?: MailOAuth2Options;
}

/** The `hooks.mail` section: the mailbox whose new mail is sent to the hook `mail`. What the watcher uses needs a restart. */
@Option({ restart: true })
export class MailOptions {
  /** Address of the account: names it in logs, and mail from it is not sent. */
  @OneLine()
  account!: string;

  /** The IMAP server. */
  @OneLine()
  host!: string;

  /** Its port, 1 to 65,535. Default 993, without `secure` 143. */
  @IsOptional()
  @WholeNumber(1, 65_535)
  port?: number;

  /** True: TLS from the first byte. False: STARTTLS, which must succeed unless the server is on this machine. @default true */
  @IsBoolean()
  secure = true;

  /** Login name. Default: `hooks.mail.account`. */
  @IsOptional()
  @OneLine()
  user?: string;

  @OptionalSection(MailAuthOptions)
  auth?: MailAuthOptions;

  /** Mailboxes (folders, labels) to watch, 1 to 10; each takes one connection. @default ["INBOX"] */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { each: true, message: 'must not hold a blank name' })
  mailboxes: string[] = ['INBOX'];

  /** False: only sender, subject and snippet are sent. @default true */
  @IsBoolean()
  includeBody = true;

  /**
   * Most bytes that are fetched of one message, 1,024 to 10,485,760; the rest is left out and `truncated` says so.
   * @default 65536
   */
  @WholeNumber(1024, 10 * 1024 * 1024)
  maxBytes = 65_536;

  /** Charset of what is not UTF-8 and does not say its own, by its name in browsers. @default 'windows-1252' */
  @Rule('isCharset', (value) => toDecoder(value) !== undefined, 'must be one such as windows-1252')
  charset = 'windows-1252';

  /**
   * Name by which the mailbox's own server signs its verdicts on senders (`Authentication-Results`), such as
   * `mx.google.com`; `*.example.org`: any server below it; `none`: Microsoft's, which gives no name. It must remove what
   * others write under its name. Absent: no sender is authentic.
   */
  @IsOptional()
  @Matches(/^(?:\*\.)?[\w.-]+$/, { message: 'must be a name such as mx.google.com' })
  @IsString()
  authservId?: string;

  /** `<provider>/<model>` or an alias, for preset `mail`. Applies without restart. */
  @Option({ restart: false })
  @OptionalText()
  model?: string;

  /** `off` … `adaptive`, for preset `mail`. Applies without restart. */
  @Option({ restart: false })
  @IsOptional()
  @IsIn(THINKING_LEVELS)
  thinking?: ThinkingLevel;

  /**
   * True: mail is shown to the agent without the safety boundary. Anybody can send you mail: leave it false. Applies
   * without restart. @default false
   */
  @Option({ restart: false })
  @IsOptional()
  @IsBoolean()
  allowUnsafeExternalContent?: boolean;
}

export function resolveMail(given: unknown): { value: MailOptions; problems: Problem[] } {
  const { value, problems } = resolveSection(MailOptions, given, SECTION);
  return { value, problems: problems.length > 0 ? problems : findAuthProblems(value) };
}

function findAuthProblems({ host, auth }: MailOptions): Problem[] {
  const isOne = (auth?.password === undefined) !== (auth?.oauth2 === undefined);
  if (!isOne) {
    const message = 'needs either password (or an app password) or oauth2, best as "${NAME}"';
    return [{ key: `${SECTION}.auth`, message }];
  }
  return auth?.oauth2 === undefined ? [] : findTokenUrlProblems(host, auth.oauth2);
}

function findTokenUrlProblems(host: string, { tokenUrl }: MailOAuth2Options): Problem[] {
  const key = `${SECTION}.auth.oauth2.tokenUrl`;
  if (tokenUrl === undefined) {
    if (knownTokenEndpoint(host) !== undefined) return [];
    return [{ key, message: `is needed: the token endpoint of ${host} is not known` }];
  }
  const { protocol, hostname, username } = new URL(tokenUrl);
  if (username !== '') return [{ key, message: 'must not hold a user name or password' }];
  const isPrivate = protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/gu, ''));
  return isPrivate ? [] : [{ key, message: 'must begin with https:// (it is sent secrets)' }];
}

interface TokenEndpoint {
  readonly tokenUrl: string;
  readonly scope?: string;
}

const GOOGLE: TokenEndpoint = { tokenUrl: 'https://oauth2.googleapis.com/token' };

const MICROSOFT: TokenEndpoint = {
  tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
};

const ENDPOINTS: readonly (readonly [domain: string, TokenEndpoint])[] = [
  ['gmail.com', GOOGLE],
  ['googlemail.com', GOOGLE],
  ['office365.com', MICROSOFT],
  ['outlook.com', MICROSOFT],
];

/** The token endpoint of the provider that runs the IMAP server `host`; undefined when it is not a known one. */
export function knownTokenEndpoint(host: string): TokenEndpoint | undefined {
  const name = host.toLowerCase().replace(/\.$/u, '');
  return ENDPOINTS.find(([domain]) => name === domain || name.endsWith(`.${domain}`))?.[1];
}

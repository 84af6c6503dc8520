import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { OptionalSection, OptionalText, THINKING_LEVELS } from '../hooks/index.ts';
import type { ThinkingLevel } from '../hooks/index.ts';

/** Everything that is put into a command to the mail server: one line of text. */
function OneLine(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { message: 'must be one line of text, not blank' }),
    MaxLength(8_192),
  );
}

/** `hooks.mail.auth.oauth2`: how an access token is got. */
export class MailOAuth2Options {
  /** The id of your app at the provider. */
  @OneLine()
  clientId!: string;

  /** The secret of your app, best as `${NAME}`. Absent: a public client. */
  @IsOptional()
  @OneLine()
  clientSecret?: string;

  /** What access tokens are got with, best as `${NAME}`. */
  @OneLine()
  refreshToken!: string;

  /** Token endpoint, https. Default: that of Google or Microsoft when `hooks.mail.host` is theirs. */
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
  /** Password, or app password, best as `${NAME}`. */
  @IsOptional()
  @OneLine()
  password?: string;

  /** Instead of a password: access tokens by refresh. */
  @OptionalSection(MailOAuth2Options)
  oauth2?: MailOAuth2Options;
}

/** The `hooks.mail` section: the mailbox whose new mail is sent to the hook `mail`. What the watcher uses needs a restart. */
export class MailOptions {
  /** Address of the account: names it in logs, and mail from it is not sent. */
  @OneLine()
  account!: string;

  /** The IMAP server. */
  @OneLine()
  host!: string;

  /** Its port, 1 to 65,535. Default 993, without `secure` 143. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(65_535)
  port?: number;

  /** True: TLS from the first byte. False: STARTTLS, which must succeed unless the server is on this machine. */
  @IsBoolean()
  secure = true;

  /** Login name. Default: `hooks.mail.account`. */
  @IsOptional()
  @OneLine()
  user?: string;

  @OptionalSection(MailAuthOptions)
  auth?: MailAuthOptions;

  /** Mailboxes (folders, labels) to watch, 1 to 10; each takes one connection. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { each: true, message: 'must not hold a blank name' })
  mailboxes: string[] = ['INBOX'];

  /** False: only sender, subject and snippet are sent. */
  @IsBoolean()
  includeBody = true;

  /** Most bytes that are fetched of one message, 1,024 to 10,485,760; the rest is left out and `truncated` says so. */
  @IsInt()
  @Min(1024)
  @Max(10 * 1024 * 1024)
  maxBytes = 65_536;

  /** `<provider>/<model>` or an alias, for preset `mail`. Applies without restart. */
  @OptionalText()
  model?: string;

  /** `off` … `adaptive`, for preset `mail`. Applies without restart. */
  @IsOptional()
  @IsIn(THINKING_LEVELS)
  thinking?: ThinkingLevel;

  /** True: mail is shown to the agent without the safety boundary. Anybody can write you a mail: leave it false. Applies without restart. */
  @IsOptional()
  @IsBoolean()
  allowUnsafeExternalContent?: boolean;
}

import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { OptionalText, PositiveNumber } from './key-kinds.ts';

const HEADER = { message: 'must be the name of a header' };
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** One that has the token and nothing else: `Authorization` is looked into in any case. */
export const TOKEN_HEADER = /^(?!authorization$)[\w!#$%&'*+.^`|~-]{1,100}$/i;
export const NO_TOKEN_HEADER = { message: 'must be the name of a header other than Authorization' };

/**
 * `hooks.schemes.<id>`: how a sender signs of which there is no scheme, as one that we know does but for what is said here.
 * The id is what `verify.scheme` takes.
 */
export class SchemeOptions {
  /** The scheme that it resembles, e.g. `stripe` for `t=…,v1=…`, `hmac` for the body alone (docs/security.md). */
  @IsString()
  like!: string;

  /** The sender, for people. Default: the id. */
  @OptionalText()
  name?: string;

  /** The header that has the signature, or the secret. */
  @IsOptional()
  @Matches(HEADER_NAME, HEADER)
  @IsString()
  header?: string;

  /** The header that has the time of signing, as a number (of seconds to nanoseconds) or ISO 8601. */
  @IsOptional()
  @Matches(HEADER_NAME, HEADER)
  @IsString()
  timestampHeader?: string;

  /** The header that has the id of the delivery. */
  @IsOptional()
  @Matches(HEADER_NAME, HEADER)
  @IsString()
  idHeader?: string;

  /** What is signed: a text with `{body}`, `{timestamp}`, `{id}`, `{url}`, `{method}`, `{form}` or `{field:a.b}` in it. */
  @OptionalText()
  signed?: string;

  /** What the HMAC is made with. */
  @IsOptional()
  @IsIn(['sha1', 'sha256', 'sha512'])
  hash?: 'sha1' | 'sha256' | 'sha512';

  /** How the signature is written. */
  @IsOptional()
  @IsIn(['hex', 'base64', 'base64url'])
  encoding?: 'hex' | 'base64' | 'base64url';

  /** What stands before the signature, exactly. */
  @IsOptional()
  @IsString()
  prefix?: string;

  /** How the text of the secret becomes a key. */
  @IsOptional()
  @IsIn(['utf8', 'base64', 'hex'])
  secretForm?: 'utf8' | 'base64' | 'hex';

  /** What is signed of a body with a Content-Encoding: `wire`, the bytes that are sent, or `decoded`, the text in them. */
  @IsOptional()
  @IsIn(['wire', 'decoded'])
  signs?: 'wire' | 'decoded';

  /** How old a signature may be, in seconds, over 0 and at most 86,400. */
  @IsOptional()
  @PositiveNumber(86_400)
  toleranceSeconds?: number;
}

import { ArrayMinSize, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { OptionalText, SectionList, TextList, PositiveNumber } from './key-kinds.ts';
import { Option } from './option.ts';
import { SENDER_ID, SENDER_ID_RULE } from './token-options.ts';

/** Hashes of an HMAC, and how its bytes are written, for senders that no scheme knows. */
const HMAC_HASHES = ['sha1', 'sha256', 'sha512'] as const;
const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;

/** `hooks.mappings[].verify.senders[]`: one of several senders that sign what they send to one path. */
export class SigningSenderOptions {
  /** Names the sender beside the scheme, as in `github acme`. Up to 64 letters, digits, `.`, `_` and `-`. */
  @IsString()
  @Matches(SENDER_ID, { message: SENDER_ID_RULE })
  id!: string;

  /** Its secrets: any of them counts, so that one can be replaced by another. */
  @Option({ secret: true, mayHaveBlanks: true })
  @ArrayMinSize(1, { message: 'must hold at least one secret' })
  @Matches(/\S/, { each: true, message: 'must not hold a blank secret' })
  @TextList()
  secrets!: string[];
}

/** `hooks.mappings[].verify`: how a sender that signs its requests proves who it is (docs/security.md). */
export class VerifyOptions {
  /** Scheme of the sender, e.g. `github`, `stripe`, `hmac`. Default: the preset's of the same path, else `standard-webhooks`. */
  @OptionalText()
  scheme?: string;

  /** Secrets shared with the sender, or its public keys: any of them counts, so that one can be replaced by another. */
  @Option({ secret: true, mayHaveBlanks: true })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must hold at least one secret' })
  @Matches(/\S/, { each: true, message: 'must not hold a blank secret' })
  @TextList()
  secrets?: string[];

  /**
   * Senders with secrets of their own on this path: no key of one counts for another. Those of `secrets` are one sender
   * beside them.
   */
  @IsOptional()
  @ArrayMinSize(1, { message: 'must name at least one sender' })
  @SectionList(SigningSenderOptions)
  senders?: SigningSenderOptions[];

  /** How old a signature may be, in seconds, over 0 and at most 86,400. Default: the scheme's, most often 300. */
  @IsOptional()
  @PositiveNumber(86_400)
  toleranceSeconds?: number;

  /** What the sender says when it checks the address by GET (Meta, Strava). Absent: such a check is refused. */
  @Option({ secret: true, mayHaveBlanks: true })
  @OptionalText()
  verifyToken?: string;

  /** With the scheme `hmac` alone, as the next three: the header that has the signature. Default: `x-hub-signature-256`. */
  @OptionalText()
  header?: string;

  /** What the HMAC is made with. Default: `sha256`. */
  @IsOptional()
  @IsIn(HMAC_HASHES)
  hash?: (typeof HMAC_HASHES)[number];

  /** How the signature is written. Default: `hex`. */
  @IsOptional()
  @IsIn(SIGNATURE_ENCODINGS)
  encoding?: (typeof SIGNATURE_ENCODINGS)[number];

  /** What stands before the signature, exactly. Default: nothing, but `sha256=` in `x-hub-signature-256`. */
  @IsOptional()
  @IsString()
  prefix?: string;
}

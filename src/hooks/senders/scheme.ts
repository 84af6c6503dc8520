import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  ValidateNested,
} from 'class-validator';
import { OptionalSection, OptionalText, Section, SectionList } from '../options/index.ts';
import { HandshakeRules } from './handshake.ts';
import type { Handshake } from './handshake.ts';
import {
  IsCertifiedText,
  IsClaims,
  IsDeliveryId,
  IsHeader,
  IsHttps,
  IsPattern,
  IsPlace,
  IsRecordOf,
  IsSignedText,
} from './row-rules.ts';

// How a sender proves who it is, as `scheme.json5` of its folder says it: rows of data that the engine in
// http/auth/signatures compiles.

/**
 * How far a row is known to be right: `cross-checked` against the provider's own library in our tests; `source-read`:
 * the source of a verifier was read; `docs-excerpt`: the vendor's page; `secondary`: somebody's summary of it;
 * `measured`: the sender was run.
 */
const CONFIDENCES = [
  'cross-checked',
  'source-read',
  'docs-excerpt',
  'secondary',
  'measured',
] as const;

type Row<T> = { readonly [K in keyof T]: T[K] };

/** Where a text stands: a header, or a field of the JSON body by its path (`a.b`). */
export type Place = { readonly header: string } | { readonly field: string };

/** `sha256` is no HMAC but the plain digest of a text that has the secret in it. */
const ALGORITHMS = [
  'hmac-sha1',
  'hmac-sha256',
  'hmac-sha512',
  'ed25519',
  'ecdsa-sha256',
  'sha256',
] as const;
export type SignatureAlgorithm = (typeof ALGORITHMS)[number];

/** A header of items such as `t=1,v1=ab,v1=cd`. */
class ItemListRules {
  @IsString()
  readonly separator!: string;

  /** Between an item's name and its value. */
  @IsString()
  readonly assign!: string;

  /** The items of this name are signatures; any of them may be right. */
  @IsString()
  readonly name!: string;
}
type ItemList = Row<ItemListRules>;

/** A signature over a text that is made of the request's parts. */
class SignatureProofRules {
  @IsIn(['signature'])
  readonly kind!: 'signature';

  @IsIn(ALGORITHMS)
  readonly algorithm!: SignatureAlgorithm;

  @IsPlace('header', 'field')
  readonly at!: Place;

  @IsIn(['hex', 'base64', 'base64url'])
  readonly encoding!: 'hex' | 'base64' | 'base64url';

  /** Stands before the signature, exactly. */
  @IsOptional()
  @IsString()
  readonly prefix?: string;

  @OptionalSection(ItemListRules)
  readonly list?: ItemList;

  /** How the secret's text becomes a key of an HMAC. `base64` may have the prefix `whsec_`. @default 'utf8' */
  @IsOptional()
  @IsIn(['utf8', 'base64', 'hex'])
  readonly secretForm?: 'utf8' | 'base64' | 'hex';

  /**
   * What is signed: literal text and `{body}` exact bytes, `{timestamp}` as sent, `{id}` the header of {@link idHeader},
   * `{url}` as the sender calls it, `{method}` of the request, `{form}` sorted parameters of a form, key and value joined,
   * `{field:a.b}` of the body; of a plain digest `{secret}`.
   */
  @IsSignedText()
  readonly signed!: string;

  @IsOptional()
  @IsHeader()
  readonly idHeader?: string;

  /** The sender's URL may or may not name the standard port. */
  @IsOptional()
  @IsBoolean()
  readonly isPortOptional?: boolean;

  /** Bodies that are no form are bound by a digest in this parameter of the signed URL, in hex. */
  @OptionalText()
  readonly bodyDigestParameter?: string;
}
export type SignatureProof = Row<SignatureProofRules>;

/**
 * A JSON web token (RFC 7519): HS256 with the operator's secret, or RS256 or ES256 with a key that its issuer publishes, and
 * then a claim has to be the secret.
 */
class TokenProofRules {
  @IsIn(['jwt'])
  readonly kind!: 'jwt';

  /** In `authorization`, `Bearer` may stand before it. */
  @IsPlace('header')
  readonly at!: { readonly header: string };

  @OptionalText()
  readonly issuer?: string;

  /** The claim that holds the SHA-256 of the body, in hex. Absent: the token says nothing about the body. */
  @OptionalText()
  readonly bodyClaim?: string;

  /** Where the issuer publishes its keys (RFC 7517), over HTTPS. */
  @IsOptional()
  @IsHttps()
  readonly keys?: string;

  /** Claims and what each has to be: a text with `{secret}`, or with `{url}` as the sender calls it; or true or false. */
  @IsOptional()
  @IsClaims()
  readonly claims?: Readonly<Record<string, string | boolean>>;
}
export type TokenProof = Row<TokenProofRules>;

/** Which addresses of certificates may be asked, as regular expressions. */
class AllowedAddressRules {
  @IsPattern()
  readonly url!: string;

  /** For the operator's secret (a public name here): the first groups of both have to be the same. */
  @IsOptional()
  @IsPattern()
  readonly secret?: string;
}
type AllowedAddress = Row<AllowedAddressRules>;

/** An RSA signature, made with the key of a certificate that the request names. */
class CertificateProofRules {
  @IsIn(['certificate'])
  readonly kind!: 'certificate';

  @IsPlace('header', 'field')
  readonly at!: Place;

  @IsPlace('header', 'field')
  readonly certificateUrl!: Place;

  @Section(AllowedAddressRules)
  readonly allows!: AllowedAddress;

  @IsPlace('header', 'field')
  readonly algorithmAt!: Place;

  /** Names of that place, and the hash that each stands for. */
  @IsRecordOf((hash) => hash === 'sha1' || hash === 'sha256', 'must name sha1 or sha256 for each')
  readonly algorithms!: Readonly<Record<string, 'sha1' | 'sha256'>>;

  /**
   * A template as in {@link SignatureProof.signed}, with `{secret}` and `{crc32}` of the body in decimals besides; or by
   * the body's field `Type` which of its fields are signed, each as two lines, name and value.
   */
  @IsCertifiedText()
  readonly signed!: string | Readonly<Record<string, readonly string[]>>;

  @IsOptional()
  @IsHeader()
  readonly idHeader?: string;

  /** The field that has to hold the secret, where the signed text does not. */
  @OptionalText()
  readonly boundField?: string;
}
export type CertificateProof = Row<CertificateProofRules>;

/** A secret as it is, in a header or in the body; with `each` in every item of that list. */
class SecretProofRules {
  @IsIn(['secret'])
  readonly kind!: 'secret';

  @IsPlace('header', 'field')
  readonly at!: Place;

  @OptionalText()
  readonly each?: string;

  /** The sender chooses it, and it is short: no least length can be asked for. @default false */
  @IsOptional()
  @IsBoolean()
  readonly isGuessable?: boolean;
}
export type SecretProof = Row<SecretProofRules>;

/** `Authorization: Basic`; the secret is `user:password`. */
class BasicProofRules {
  @IsIn(['basic'])
  readonly kind!: 'basic';
}
type BasicProof = Row<BasicProofRules>;

export type Proof = SignatureProof | TokenProof | CertificateProof | SecretProof | BasicProof;

const PROOFS = [
  { name: 'signature', value: SignatureProofRules },
  { name: 'jwt', value: TokenProofRules },
  { name: 'certificate', value: CertificateProofRules },
  { name: 'secret', value: SecretProofRules },
  { name: 'basic', value: BasicProofRules },
];

/** What a proof of no known kind is read as, to be refused by its kind. */
class UnknownProof {
  @IsIn(PROOFS.map(({ name }) => name))
  readonly kind!: string;
}

class TimestampRules {
  /** `item`: in the list of the signature's own header. */
  @IsPlace('header', 'field', 'item')
  readonly at!: Place | { readonly item: string };

  @IsIn(['s', 'ms', 'iso'])
  readonly unit!: 's' | 'ms' | 'iso';

  /** How far it may be from our clock, either way, in seconds. */
  @IsPositive()
  @Max(86_400)
  readonly toleranceSeconds!: number;
}
export type TimestampRule = Row<TimestampRules>;

/** The ids of the sender's deliveries: the first of these headers, or fields of the body, joined by a colon. */
export type DeliveryIdRule =
  | { readonly headers: readonly string[] }
  /** `a|b`: the first that is there. Without the first field there is no id. */
  | { readonly fields: readonly string[] };

/** How one sender proves who it is, as its file says it: the folder gives the id. */
export class SchemeRules {
  /** The provider, for people. */
  @IsString()
  readonly name!: string;

  /** The strongest first: the first whose place the request fills decides, and no other. Empty: it does not sign. */
  @Type(() => UnknownProof, {
    keepDiscriminatorProperty: true,
    discriminator: { property: 'kind', subTypes: PROOFS },
  })
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @IsArray()
  readonly proofs!: readonly Proof[];

  /** What the operator puts into `secrets`, if it is not a secret text that the sender shows. */
  @OptionalText()
  readonly secret?: string;

  @OptionalSection(TimestampRules)
  readonly timestamp?: TimestampRule;

  @IsOptional()
  @IsDeliveryId()
  readonly deliveryId?: DeliveryIdRule;

  /** What it asks before it delivers; the first that fits is answered. */
  @IsOptional()
  @SectionList(HandshakeRules)
  readonly handshakes?: readonly Handshake[];

  /** How bodies of this sender are written, if not in JSON. */
  @IsOptional()
  @IsIn(['form'])
  readonly body?: 'form';

  /** What it calls its JSON, if not `application/json`. */
  @OptionalText()
  readonly contentType?: string;

  /** What is signed where a body has a Content-Encoding: the bytes that are sent, or the text in them. @default 'wire' */
  @IsOptional()
  @IsIn(['wire', 'decoded'])
  readonly signs?: 'wire' | 'decoded';

  /** Headers without which its own library believes nothing, though nothing signs them; with values of an example. */
  @IsOptional()
  @IsRecordOf((value) => typeof value === 'string', 'must be texts by the name of their header')
  readonly companions?: Readonly<Record<string, string>>;

  /** Whether people can make this sender send a token of ours in a header. */
  @IsBoolean()
  readonly canSendToken!: boolean;

  @IsIn(CONFIDENCES)
  readonly confidence!: (typeof CONFIDENCES)[number];

  /** What a holder of one right request can still change, and what else there is to know. */
  @OptionalText()
  readonly gaps?: string;
}
export type SchemeFile = Row<SchemeRules>;

export type SignatureScheme = SchemeFile & { readonly id: string };

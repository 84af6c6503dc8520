// How a sender proves who it is, as `scheme.json5` of its folder says it: rows of data that the engine in
// http/auth/signatures compiles.

/**
 * How far a row is known to be right: `cross-checked` against the provider's own library in our tests; `source-read`:
 * the source of a verifier was read; `docs-excerpt`: the vendor's page; `secondary`: somebody's summary of it;
 * `measured`: the sender was run.
 */
export type Confidence =
  'cross-checked' | 'source-read' | 'docs-excerpt' | 'secondary' | 'measured';

/** Where a text stands: a header, or a field of the JSON body by its path (`a.b`). */
export type Place = { readonly header: string } | { readonly field: string };

export type SignatureAlgorithm =
  'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'ed25519' | 'ecdsa-sha256';

/** A header of items such as `t=1,v1=ab,v1=cd`. */
export interface ItemList {
  readonly separator: string;
  /** Between an item's name and its value. */
  readonly assign: string;
  /** The items of this name are signatures; any of them may be right. */
  readonly name: string;
}

/** A signature over a text that is made of the request's parts. */
export interface SignatureProof {
  readonly kind: 'signature';
  readonly algorithm: SignatureAlgorithm;
  readonly at: Place;
  readonly encoding: 'hex' | 'base64';
  /** Stands before the signature, exactly. */
  readonly prefix?: string;
  readonly list?: ItemList;
  /** How the secret's text becomes a key of an HMAC. `base64` may have the prefix `whsec_`. @default 'utf8' */
  readonly secretForm?: 'utf8' | 'base64' | 'hex';
  /**
   * What is signed: literal text and `{body}` exact bytes, `{timestamp}` as sent, `{id}` the header of {@link idHeader},
   * `{url}` as the sender calls it, `{form}` sorted parameters of a form, key and value joined, `{field:a.b}` of the body.
   */
  readonly signed: string;
  readonly idHeader?: string;
  /** The sender's URL may or may not name the standard port. */
  readonly isPortOptional?: boolean;
  /** Bodies that are no form are bound by a digest in this parameter of the signed URL, in hex. */
  readonly bodyDigestParameter?: string;
}

/** A JSON web token (HS256) with the SHA-256 of the body as a claim, in hex. */
export interface TokenProof {
  readonly kind: 'jwt';
  readonly at: { readonly header: string };
  readonly issuer: string;
  readonly bodyClaim: string;
}

/** An RSA signature, made with the key of a certificate that the request names. */
export interface CertificateProof {
  readonly kind: 'certificate';
  readonly at: Place;
  readonly certificateUrl: Place;
  /**
   * Which addresses may be asked, as regular expressions: `url` of the address; with `secret`, which is for the operator's
   * secret (a public name here), the first groups of both have to be the same.
   */
  readonly allows: { readonly url: string; readonly secret?: string };
  readonly algorithmAt: Place;
  /** Names of that place, and the hash that each stands for. */
  readonly algorithms: Readonly<Record<string, 'sha1' | 'sha256'>>;
  /**
   * A template as in {@link SignatureProof.signed}, with `{secret}` and `{crc32}` of the body in decimals besides; or by
   * the body's field `Type` which of its fields are signed, each as two lines, name and value.
   */
  readonly signed: string | Readonly<Record<string, readonly string[]>>;
  readonly idHeader?: string;
  /** The field that has to hold the secret, where the signed text does not. */
  readonly boundField?: string;
}

/** A secret as it is, in a header or in the body; with `each` in every item of that list. */
export interface SecretProof {
  readonly kind: 'secret';
  readonly at: Place;
  readonly each?: string;
  /** The sender chooses it, and it is short: no least length can be asked for. @default false */
  readonly isGuessable?: boolean;
}

/** `Authorization: Basic`; the secret is `user:password`. */
export interface BasicProof {
  readonly kind: 'basic';
}

export type Proof = SignatureProof | TokenProof | CertificateProof | SecretProof | BasicProof;

export interface TimestampRule {
  /** `item`: in the list of the signature's own header. */
  readonly at: Place | { readonly item: string };
  readonly unit: 's' | 'ms' | 'iso';
  /** How far it may be from our clock, either way, in seconds. */
  readonly toleranceSeconds: number;
}

/** The ids of the sender's deliveries: the first of these headers, or fields of the body, joined by a colon. */
export type DeliveryIdRule =
  | { readonly headers: readonly string[] }
  /** `a|b`: the first that is there. Without the first field there is no id. */
  | { readonly fields: readonly string[] };

/** A question that the sender asks before it delivers; answered, and never an event. */
export type Handshake =
  /** POST, signed: the body has that value at `field`; the answer repeats `echo`, under the same name. */
  | {
      readonly kind: 'challenge-json';
      readonly field: string;
      readonly is: string;
      readonly echo: string;
    }
  /** POST, signed: the answer is `{plainToken, encryptedToken}`, the second its HMAC-SHA256 in hex. */
  | {
      readonly kind: 'challenge-hmac';
      readonly field: string;
      readonly is: string;
      readonly token: string;
    }
  /** POST, signed: `field` has one of these values, and `unless` is absent; answered with that JSON, or with 204. */
  | {
      readonly kind: 'pong';
      readonly field: string;
      readonly unless: string;
      readonly answers: Readonly<Record<string, object | null>>;
    }
  /** POST, unsigned: a parameter of the query is repeated as plain text. */
  | { readonly kind: 'query-echo'; readonly parameter: string }
  /** GET: a parameter of the query is repeated, as text or as JSON; `verifyToken`: another must hold the operator's. */
  | {
      readonly kind: 'get-challenge';
      readonly parameter: string;
      readonly answer: 'text' | 'json';
      readonly verifyToken?: string;
    }
  /** HEAD: 200. */
  | { readonly kind: 'head' }
  /** POST: this header brings the signing secret, and wants it back in the answer. */
  | { readonly kind: 'header-echo'; readonly header: string }
  /** POST, unsigned: this field brings the signing secret, which the operator enters at the sender. */
  | { readonly kind: 'token-to-operator'; readonly field: string };

/** How one sender proves who it is: a row of data. */
export interface SignatureScheme extends SchemeFile {
  readonly id: string;
}

/** The same as its file says it: the folder gives the id. */
export interface SchemeFile {
  /** The provider, for people. */
  readonly name: string;
  /** The strongest first: the first whose place the request fills decides, and no other. Empty: it does not sign. */
  readonly proofs: readonly Proof[];
  /** What the operator puts into `secrets`, if it is not a secret text that the sender shows. */
  readonly secret?: string;
  readonly timestamp?: TimestampRule;
  readonly deliveryId?: DeliveryIdRule;
  readonly handshake?: Handshake;
  /** How bodies of this sender are written, if not in JSON. */
  readonly body?: 'form';
  /** What it calls its JSON, if not `application/json`. */
  readonly contentType?: string;
  /** Headers without which its own library believes nothing, though nothing signs them; with values of an example. */
  readonly companions?: Readonly<Record<string, string>>;
  /** Whether people can make this sender send a token of ours in a header. */
  readonly canSendToken: boolean;
  readonly confidence: Confidence;
  /** What a holder of one right request can still change, and what else there is to know. */
  readonly gaps?: string;
}

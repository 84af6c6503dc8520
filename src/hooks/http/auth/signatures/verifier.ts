// A scheme may have several proofs, e.g. a signature or a shared secret: the one whose header is there decides.
import { hash } from 'node:crypto';
import type { Problem } from '../../../options/index.ts';
import { nearestKey } from '../../../options/problem.ts';
import { getText } from '../../../../platform/objects.ts';
import { compileCertificate } from './certificate-proof.ts';
import { Certificates } from './certificates.ts';
import { coversBody, isIdSigned } from './coverage.ts';
import { checkTimeInBody, compileSignature } from './proofs.ts';
import type { CompiledProof, ProofSettings, Proven } from './proofs.ts';
import { schemes as ownSchemes } from '../../../senders/index.ts';
import { listSecrets, secretProblems } from './sender-secrets.ts';
import type { WrittenSecrets } from './sender-secrets.ts';
import { ONE_DAY } from './signed-request.ts';
import type { DeliveryIdRule, Proof, SignatureScheme } from '../../../senders/index.ts';
import type {
  RequestHead,
  SignatureFault,
  SignedRequest,
  VerifiedSignature,
} from './signed-request.ts';
import { compileBasic, compileSecret } from './shown-secrets.ts';
import { compileWebToken } from './web-tokens.ts';
import { isDeliveryId } from './signature-values.ts';
import { Delivery, readHeader } from './signed-content.ts';

export interface SignatureVerifier {
  readonly scheme: SignatureScheme;
  /** The cheap half, before the body is read: form and time. @param now in milliseconds since 1970 */
  checkHead(head: RequestHead, now: number): SignatureFault | null;
  /** The whole of it. A promise only where a certificate may have to be fetched. Never throws or rejects. */
  verify(
    request: SignedRequest,
    now: number,
  ): VerifiedSignature | SignatureFault | Promise<VerifiedSignature | SignatureFault>;
}

export interface VerifierOptions extends WrittenSecrets {
  readonly scheme: string;
  readonly secrets: readonly string[];
  /** In seconds, either way, over 0 and at most 86,400, since replays are known for longer than that. @default what the row says */
  readonly toleranceSeconds?: number;
  /** Of the scheme `hmac` alone: the header that has the signature. @default 'x-hub-signature-256' */
  readonly header?: string;
  /** Of the scheme `hmac` alone. @default 'sha256' */
  readonly hash?: 'sha1' | 'sha256' | 'sha512';
  /** Of the scheme `hmac` alone. @default 'hex' */
  readonly encoding?: 'hex' | 'base64';
  /** Of the scheme `hmac` alone: what stands before the signature. @default `sha256=` by its own header, else nothing */
  readonly prefix?: string;
}

const CUSTOM = 'hmac';
const CUSTOM_OPTIONS = ['header', 'hash', 'encoding', 'prefix'] as const;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

export interface VerifierContext {
  /** Where the world reaches us, for senders that sign the URL: scheme, host, and a path if a proxy takes one away. */
  readonly publicUrl?: string;
  /** Shared by all verifiers of one service, so that none is fetched twice. @default one of its own */
  readonly certificates?: Certificates;
  /** Those that a configuration knows. @default ours */
  readonly schemes?: ReadonlyMap<string, SignatureScheme>;
}

/** @returns the verifier, or what is wrong with the options, keyed by field and worded as ends of sentences. */
export function compileVerifier(
  options: VerifierOptions,
  context: VerifierContext = {},
): SignatureVerifier | { problems: Problem[] } {
  const { schemes = ownSchemes } = context;
  const row = schemes.get(options.scheme);
  if (row === undefined) return problem('scheme', unknownScheme(options.scheme, schemes));
  if (row.proofs.length === 0) {
    const rest = row.handshakes === undefined ? 'verify' : 'all of verify but the scheme';
    return problem(
      'scheme',
      `names a sender that does not sign (${row.name}); leave ${rest} out and let it send a token`,
    );
  }
  const problems = [
    ...customProblems(options),
    ...secretProblems(options),
    ...toleranceProblems(options),
    ...urlProblems(row, context),
  ];
  if (problems.length > 0) return { problems };
  const scheme = customize(row, options);
  const settings: ProofSettings = {
    secrets: listSecrets(options),
    toleranceSeconds: options.toleranceSeconds ?? scheme.timestamp?.toleranceSeconds ?? 0,
    publicUrl: context.publicUrl?.replace(/\/+$/, ''),
  };
  const proofs: CompiledProof[] = [];
  const { certificates = new Certificates() } = context;
  for (const proof of scheme.proofs) {
    const compiled = compileProof(proof, scheme, settings, certificates);
    if ('problems' in compiled) return compiled;
    proofs.push(compiled);
  }
  return new SchemeVerifier(scheme, proofs, settings.toleranceSeconds);
}

function compileProof(
  proof: Proof,
  scheme: SignatureScheme,
  settings: ProofSettings,
  certificates: Certificates,
): CompiledProof | { problems: Problem[] } {
  switch (proof.kind) {
    case 'signature':
      return compileSignature(proof, scheme, settings);
    case 'jwt':
      return compileWebToken(
        proof,
        settings,
        proof.keys === undefined ? null : certificates.publishedAt(proof.keys),
      );
    case 'certificate':
      return compileCertificate(proof, scheme, settings, certificates);
    case 'secret':
      return compileSecret(proof, settings);
    case 'basic':
      return compileBasic(settings);
  }
}

function problem(key: string, message: string): { problems: Problem[] } {
  return { problems: [{ key, message }] };
}

function unknownScheme(written: string, schemes: ReadonlyMap<string, unknown>): string {
  const nearest = nearestKey(written, [...schemes.keys()]);
  return nearest === undefined
    ? 'is no known scheme; docs/security.md lists them, and standard-webhooks is right for most new senders'
    : `is no known scheme; did you mean ${nearest}?`;
}

function customProblems(options: VerifierOptions): Problem[] {
  const given = CUSTOM_OPTIONS.filter((name) => options[name] !== undefined);
  if (options.scheme !== CUSTOM) {
    return given.map((key) => ({ key, message: `belongs to the scheme ${CUSTOM} alone` }));
  }
  const { header } = options;
  return header === undefined || HEADER_NAME.test(header)
    ? []
    : [{ key: 'header', message: 'must be the name of a header' }];
}

export function customize(
  row: SignatureScheme,
  { header, hash: digest, encoding, prefix }: Partial<VerifierOptions>,
): SignatureScheme {
  const [proof] = row.proofs;
  if (row.id !== CUSTOM || proof?.kind !== 'signature') return row;
  return {
    ...row,
    proofs: [
      {
        ...proof,
        algorithm: `hmac-${digest ?? 'sha256'}`,
        encoding: encoding ?? proof.encoding,
        ...(header !== undefined && { at: { header: header.toLowerCase() }, prefix: '' }),
        ...(prefix !== undefined && { prefix }),
      },
    ],
  };
}

function toleranceProblems({ toleranceSeconds: seconds }: VerifierOptions): Problem[] {
  if (seconds === undefined || (seconds > 0 && seconds <= ONE_DAY)) return [];
  return [{ key: 'toleranceSeconds', message: `must be over 0 and at most ${ONE_DAY}` }];
}

function urlProblems({ name, proofs }: SignatureScheme, { publicUrl }: VerifierContext): Problem[] {
  const needsUrl = proofs.some(
    (proof) =>
      (proof.kind === 'signature' && proof.signed.includes('{url}')) ||
      (proof.kind === 'jwt' && Object.values(proof.claims ?? {}).includes('{url}')),
  );
  if (!needsUrl || publicUrl !== undefined) return [];
  return [{ key: 'publicUrl', message: `must be set, since ${name} signs the URL that it calls` }];
}

class SchemeVerifier implements SignatureVerifier {
  readonly #coversBody: boolean;
  readonly #isIdSigned: boolean;

  constructor(
    readonly scheme: SignatureScheme,
    private readonly proofs: readonly CompiledProof[],
    private readonly toleranceSeconds: number,
  ) {
    this.#coversBody = coversBody(scheme);
    this.#isIdSigned = isIdSigned(scheme);
  }

  checkHead(head: RequestHead, now: number): SignatureFault | null {
    const proof = this.#proofFor(head);
    return proof === undefined ? 'missing' : proof.checkHead(head, now);
  }

  verify(
    request: SignedRequest,
    now: number,
  ): VerifiedSignature | SignatureFault | Promise<VerifiedSignature | SignatureFault> {
    const proof = this.#proofFor(request);
    if (proof === undefined) return 'missing';
    const delivery = new Delivery(request);
    const found = proof.verify(delivery, now);
    return found instanceof Promise
      ? found.then((proven) => this.#conclude(proven, delivery, now))
      : this.#conclude(found, delivery, now);
  }

  /** The first one that the request fills: a right answer to a weaker question does not mend a wrong one. */
  #proofFor(head: RequestHead): CompiledProof | undefined {
    return this.proofs.find((proof) => proof.isPresent(head));
  }

  #conclude(
    proven: Proven | SignatureFault,
    delivery: Delivery,
    now: number,
  ): VerifiedSignature | SignatureFault {
    if (typeof proven === 'string') return proven;
    const { timestamp } = this.scheme;
    const fault = checkTimeInBody(timestamp, delivery, now, this.toleranceSeconds);
    if (fault !== null) return fault;
    const { deliveryId } = this.scheme;
    const id = deliveryId === undefined ? undefined : readDeliveryId(deliveryId, delivery);
    return {
      scheme: this.scheme.id,
      ...(proven.sender !== undefined && { sender: proven.sender }),
      ...(id !== undefined && { deliveryId: { id, isSigned: this.#isIdSigned } }),
      ...(proven.content !== null && { signedDigest: hash('sha256', proven.content, 'base64') }),
      coversBody: this.#coversBody,
    };
  }
}

/** The id of a delivery by its row; undefined when it has none, or one that no sender would give. */
function readDeliveryId(rule: DeliveryIdRule, delivery: Delivery): string | undefined {
  const id =
    'headers' in rule
      ? (rule.headers
          .map((name) => readHeader(delivery.request, name))
          .find((text) => text !== undefined) ?? undefined)
      : readIdFields(rule.fields, delivery);
  return id !== undefined && isDeliveryId(id) ? id : undefined;
}

function readIdFields(fields: readonly string[], delivery: Delivery): string | undefined {
  const texts = fields.map((names) =>
    names
      .split('|')
      .map((name) => readBodyField(name, delivery))
      .find((text) => text !== undefined),
  );
  return texts[0] === undefined ? undefined : texts.filter((text) => text !== undefined).join(':');
}

function readBodyField(name: string, { form, json }: Delivery): string | undefined {
  if (form !== null) return form.find(([key]) => key === name)?.[1] || undefined;
  return getText(json, ...name.split('.')) || undefined;
}

import { hash } from 'node:crypto';
import type { Problem } from '../../../options/index.ts';
import { nearestKey } from '../../../options/problem.ts';
import { getText } from '../../../../platform/objects.ts';
import { compileSignature } from './proofs.ts';
import type { CompiledProof, ProofSettings, Proven } from './proofs.ts';
import { schemes } from './rows/index.ts';
import type {
  DeliveryIdRule,
  Proof,
  RequestHead,
  SignatureFault,
  SignatureScheme,
  SignedRequest,
  VerifiedSignature,
} from './scheme.ts';
import { isDeliveryId, isStale, readTime } from './signature-values.ts';
import { Delivery, readHeader } from './signed-content.ts';

/** Tells requests of one sender from those of everybody else. */
export interface SignatureVerifier {
  readonly scheme: SignatureScheme;
  /**
   * The cheap half, before the body is read: the headers are there and well-formed, the timestamp is fresh.
   * @param now in milliseconds since 1970
   */
  checkHead(head: RequestHead, now: number): SignatureFault | null;
  /** The whole of it. A promise only where a certificate may have to be fetched. Never throws or rejects. */
  verify(
    request: SignedRequest,
    now: number,
  ): VerifiedSignature | SignatureFault | Promise<VerifiedSignature | SignatureFault>;
}

/** What the operator says about a sender. */
export interface VerifierOptions {
  readonly scheme: string;
  /** Any of them counts. */
  readonly secrets: readonly string[];
  /** In seconds, either way. @default what the row says */
  readonly toleranceSeconds?: number;
}

export interface VerifierContext {
  /** Where the world reaches us, for senders that sign the URL: scheme, host, and a path if a proxy takes one away. */
  readonly publicUrl?: string;
}

/** @returns the verifier, or what is wrong with the options, keyed by field and worded as ends of sentences. */
export function compileVerifier(
  options: VerifierOptions,
  context: VerifierContext = {},
): SignatureVerifier | { problems: Problem[] } {
  const scheme = schemes.get(options.scheme);
  if (scheme === undefined) return problem('scheme', unknownScheme(options.scheme));
  if (scheme.proofs.length === 0) {
    return problem(
      'scheme',
      `names a sender that does not sign (${scheme.name}); leave verify out and let it send a token`,
    );
  }
  const problems = [...secretProblems(options.secrets), ...urlProblems(scheme, context)];
  if (problems.length > 0) return { problems };
  const settings: ProofSettings = {
    secrets: options.secrets,
    toleranceSeconds: options.toleranceSeconds ?? scheme.timestamp?.toleranceSeconds ?? 0,
    publicUrl: context.publicUrl?.replace(/\/+$/, ''),
  };
  const proofs: CompiledProof[] = [];
  for (const proof of scheme.proofs) {
    const compiled = compileProof(proof, scheme, settings);
    if ('problems' in compiled) return compiled;
    proofs.push(compiled);
  }
  return new SchemeVerifier(scheme, proofs, settings.toleranceSeconds);
}

function compileProof(
  proof: Proof,
  scheme: SignatureScheme,
  settings: ProofSettings,
): CompiledProof | { problems: Problem[] } {
  switch (proof.kind) {
    case 'signature':
      return compileSignature(proof, scheme, settings);
    default:
      return problem('scheme', 'is of a kind that is not built yet');
  }
}

function problem(key: string, message: string): { problems: Problem[] } {
  return { problems: [{ key, message }] };
}

function unknownScheme(written: string): string {
  const nearest = nearestKey(written, [...schemes.keys()]);
  return nearest === undefined
    ? 'is no known scheme; docs/security.md lists them, and standard-webhooks is right for most new senders'
    : `is no known scheme; did you mean ${nearest}?`;
}

function secretProblems(secrets: readonly string[]): Problem[] {
  if (secrets.length === 0) return [{ key: 'secrets', message: 'must hold at least one secret' }];
  return secrets.flatMap((secret, index) =>
    secret.trim() === '' ? [{ key: `secrets[${index}]`, message: 'must not be blank' }] : [],
  );
}

function urlProblems({ proofs }: SignatureScheme, { publicUrl }: VerifierContext): Problem[] {
  const needsUrl = proofs.some(
    (proof) => proof.kind === 'signature' && proof.signed.includes('{url}'),
  );
  if (!needsUrl || publicUrl !== undefined) return [];
  return [
    {
      key: 'scheme',
      message: 'signs the URL that it calls: set hooks.publicUrl to where it calls',
    },
  ];
}

/** The proofs of one row with the operator's secrets. */
class SchemeVerifier implements SignatureVerifier {
  readonly #coversBody: boolean;

  constructor(
    readonly scheme: SignatureScheme,
    private readonly proofs: readonly CompiledProof[],
    private readonly toleranceSeconds: number,
  ) {
    this.#coversBody = coversBody(scheme);
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
    const fault = this.#checkTimeInBody(delivery, now);
    if (fault !== null) return fault;
    const { deliveryId } = this.scheme;
    const id = deliveryId === undefined ? undefined : readDeliveryId(deliveryId, delivery);
    return {
      scheme: this.scheme.id,
      ...(id !== undefined && { deliveryId: { id, isSigned: isIdSigned(this.scheme) } }),
      ...(proven.content !== null && { signedDigest: hash('sha256', proven.content, 'base64') }),
      coversBody: this.#coversBody,
    };
  }

  /** A time that stands in the signed body; a body without one is as the sender made it. */
  #checkTimeInBody(delivery: Delivery, now: number): SignatureFault | null {
    const { timestamp } = this.scheme;
    if (timestamp === undefined || !('field' in timestamp.at)) return null;
    const text = delivery.read(timestamp.at);
    if (text === undefined) return null;
    const time = text === null ? null : readTime(text, timestamp.unit);
    if (time === null) return 'malformed';
    return isStale(time, now, this.toleranceSeconds) ? 'stale' : null;
  }
}

/** Whether nobody without the secret can change a byte of the body: all proofs of the row have to cover it. */
export function coversBody({ proofs }: SignatureScheme): boolean {
  return proofs.every((proof) => {
    if (proof.kind === 'signature') return /\{(?:body|form)\}/.test(proof.signed);
    return proof.kind === 'jwt';
  });
}

/** Whether the row's delivery id stands in what is signed. */
export function isIdSigned(scheme: SignatureScheme): boolean {
  const { deliveryId, proofs } = scheme;
  if (deliveryId === undefined) return false;
  return proofs.every((proof) => {
    if (proof.kind === 'secret' || proof.kind === 'basic') return false;
    if ('headers' in deliveryId) {
      return 'idHeader' in proof && deliveryId.headers.every((name) => name === proof.idHeader);
    }
    if (proof.kind === 'jwt') return true;
    const { signed } = proof;
    if (typeof signed !== 'string') {
      const lists = Object.values(signed);
      return deliveryId.fields.every((field) => lists.every((names) => names.includes(field)));
    }
    return (
      /\{(?:body|form)\}/.test(signed) ||
      deliveryId.fields.every((field) => signed.includes(`{field:${field}}`))
    );
  });
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

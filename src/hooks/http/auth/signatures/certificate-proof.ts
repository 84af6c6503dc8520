import { verify, X509Certificate } from 'node:crypto';
import type { Problem } from '../../../options/index.ts';
import { getText } from '../../../../platform/objects.ts';
import type { Certificates } from './certificates.ts';
import { checkTimeInBody } from './proofs.ts';
import type { CompiledProof, ProofSettings, Proven } from './proofs.ts';
import type { SenderSecret } from './sender-secrets.ts';
import type { CertificateProof, Place, SignatureScheme } from '../../../senders/index.ts';
import type { RequestHead, SignatureFault } from './signed-request.ts';
import { decode, isDeliveryId, isStale, readTime } from './signature-values.ts';
import { compileContent, linesOf, readHeader } from './signed-content.ts';
import type { ContentMaker, Delivery } from './signed-content.ts';

interface Claim {
  readonly signature: Buffer;
  readonly url: URL;
  readonly hash: 'sha1' | 'sha256';
  readonly id?: string;
  readonly timestamp?: string;
}

/** The text at a place of the request: undefined when there is none, null when no sender can have sent it. */
type Read = (place: Place) => string | null | undefined;

/** Bytes of an RSA signature: of keys with 1,024 to 8,192 bits. */
const SHORTEST_SIGNATURE = 128;
const LONGEST_SIGNATURE = 1024;

/** Checked in order of price: the form, the address by the row and the operator's word, the time, then the network. */
export function compileCertificate(
  proof: CertificateProof,
  { timestamp }: SignatureScheme,
  { secrets, toleranceSeconds }: ProofSettings,
  certificates: Certificates,
): CompiledProof | { problems: Problem[] } {
  const makeContent = contentMaker(proof.signed);
  const isInHead = 'header' in proof.at;
  const allows = addressCheck(proof.allows);

  function readClaim(read: Read, now: number): Claim | SignatureFault {
    const texts = [proof.at, proof.certificateUrl, proof.algorithmAt].map(read);
    if (texts.includes(undefined)) return 'missing';
    const [signature, address, algorithm] = texts.map((text) => text ?? '');
    const bytes = decode(signature ?? '', 'base64');
    const url = URL.parse(address ?? '');
    const hash = Object.hasOwn(proof.algorithms, algorithm ?? '')
      ? proof.algorithms[algorithm ?? '']
      : undefined;
    if (bytes === null || url === null || hash === undefined) return 'malformed';
    if (bytes.length < SHORTEST_SIGNATURE || bytes.length > LONGEST_SIGNATURE) return 'malformed';
    if (!secrets.some(({ text }) => allows(url, text))) return 'malformed';
    const id = proof.idHeader === undefined ? undefined : read({ header: proof.idHeader });
    if (proof.idHeader !== undefined && id === undefined) return 'missing';
    if (id === null || (id !== undefined && !isDeliveryId(id))) return 'malformed';
    if (timestamp === undefined || !('header' in timestamp.at)) {
      return { signature: bytes, url, hash, id };
    }
    const time = read(timestamp.at);
    if (time === undefined) return 'missing';
    const milliseconds = time === null ? null : readTime(time);
    if (time === null || milliseconds === null) return 'malformed';
    if (isStale(milliseconds, now, toleranceSeconds)) return 'stale';
    return { signature: bytes, url, hash, id, timestamp: time };
  }

  function secretsFor(claim: Claim, delivery: Delivery): readonly SenderSecret[] {
    const { boundField } = proof;
    return secrets.filter(
      ({ text }) =>
        allows(claim.url, text) &&
        (boundField === undefined || getText(delivery.json, boundField) === text),
    );
  }

  async function prove(
    claim: Claim,
    delivery: Delivery,
    now: number,
  ): Promise<Proven | SignatureFault> {
    const fitting = secretsFor(claim, delivery);
    if (fitting.length === 0) return 'mismatch';
    const fault = checkTimeInBody(timestamp, delivery, now, toleranceSeconds);
    if (fault !== null) return fault;
    const readings: Proven[] = fitting.map(({ text: secret, sender }) => ({
      content: makeContent(delivery, { ...claim, url: undefined, secret }),
      sender,
    }));
    if (readings.some(({ content }) => content === null)) return 'malformed';
    const { client = '' } = delivery.request;
    const certificate = await certificates.get(claim.url, now, client);
    if (certificate === 'away') return 'unavailable';
    if (certificate === 'absent') return 'mismatch';
    const right = readings.find(
      ({ content }) => content !== null && isSigned(content, claim, certificate),
    );
    if (right === undefined) return 'mismatch';
    certificates.notePassed(claim.url, client);
    return right;
  }

  return {
    isPresent: (head) => !('header' in proof.at) || readHeader(head, proof.at.header) !== undefined,
    checkHead(head, now) {
      if (!isInHead) return null;
      const claim = readClaim(inHead(head), now);
      return typeof claim === 'string' ? claim : null;
    },
    verify(delivery, now) {
      const claim = readClaim((place) => delivery.read(place), now);
      return typeof claim === 'string' ? claim : prove(claim, delivery, now);
    },
  };
}

function addressCheck({
  url,
  secret,
}: CertificateProof['allows']): (address: URL, text: string) => boolean {
  const ofAddress = new RegExp(url);
  const ofSecret = secret === undefined ? undefined : new RegExp(secret);
  return ({ href }, text) => {
    const found = ofAddress.exec(href);
    if (found === null || ofSecret === undefined) return found !== null;
    const bound = ofSecret.exec(text);
    return bound !== null && bound[1] === found[1];
  };
}

/** Reads a head alone; asked only of rows whose places are all headers. */
function inHead(head: RequestHead): Read {
  return (place) => ('header' in place ? readHeader(head, place.header) : null);
}

/** AWS SNS signs other lines for each type of message; PayPal has one template. */
function contentMaker(signed: CertificateProof['signed']): ContentMaker {
  if (typeof signed === 'string') return compileContent(signed);
  return ({ json }) => {
    const type = getText(json, 'Type') ?? '';
    return Object.hasOwn(signed, type) ? linesOf(json, signed[type] ?? []) : null;
  };
}

function isSigned(
  content: Buffer,
  { hash, signature }: Claim,
  { publicKey }: X509Certificate,
): boolean {
  return publicKey.asymmetricKeyType === 'rsa' && verify(hash, content, publicKey, signature);
}

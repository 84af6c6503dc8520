import type { Problem } from '../../../options/index.ts';
import { getField, getText } from '../../../../platform/objects.ts';
import { compileEquality } from './keys.ts';
import { compileAll } from './proofs.ts';
import type { CompiledProof, ProofSettings, Proven, SecretCheck } from './proofs.ts';
import type { SenderSecret } from './sender-secrets.ts';
import type { SecretProof } from '../../../senders/index.ts';
import type { RequestHead, SignatureFault } from './signed-request.ts';
import { decode } from './signature-values.ts';
import { readHeader } from './signed-content.ts';
import type { Delivery } from './signed-content.ts';

// A shown secret proves who speaks and nothing about the body: see `coverage.ts` and docs/security.md.

/** A shorter secret that is sent as it is can be guessed: a signed path locks nobody out. */
const LEAST_SECRET = 16;
/** More items than one request has; each is compared. */
const MOST_ITEMS = 1000;

/** Secrets as they are, in a header or in the body. One in a header is compared before the body is read. */
export function compileSecret(
  { at, each, isGuessable = false }: SecretProof,
  { secrets }: ProofSettings,
): CompiledProof | { problems: Problem[] } {
  const matchers = equalities(secrets, isGuessable ? 1 : LEAST_SECRET);
  if ('problems' in matchers) return matchers;
  const compare = (text: string | null | undefined): Proven | SignatureFault => {
    if (text === undefined) return 'missing';
    return text === null ? 'malformed' : compareAll(matchers.made, text);
  };
  if ('header' in at) {
    const check = (head: RequestHead): Proven | SignatureFault =>
      compare(readHeader(head, at.header));
    return {
      isPresent: (head) => readHeader(head, at.header) !== undefined,
      checkHead: (head) => faultOf(check(head)),
      verify: ({ request }) => check(request),
    };
  }
  return {
    isPresent: () => true,
    checkHead: () => null,
    verify(delivery) {
      if (each === undefined) return compare(delivery.read(at));
      const items = getField(delivery.json, each);
      if (!Array.isArray(items) || items.length === 0) return 'missing';
      if (items.length > MOST_ITEMS) return 'malformed';
      const found = items.map((item) => compare(getText(item, at.field)));
      const [first = 'missing'] = found;
      const fault = found.map(faultOf).find((one) => one !== null);
      if (fault !== undefined || typeof first === 'string') return fault ?? 'missing';
      // What several senders are said to have sent together is none of theirs.
      return found.every((one) => typeof one !== 'string' && one.sender === first.sender)
        ? first
        : 'mismatch';
    },
  };
}

const BASIC = /^basic +(\S+)$/i;

export function compileBasic({ secrets }: ProofSettings): CompiledProof | { problems: Problem[] } {
  const matchers = equalities(secrets, LEAST_SECRET, /^[^:]*:./s);
  if ('problems' in matchers) return matchers;
  const check = (head: RequestHead): Proven | SignatureFault => {
    const text = readHeader(head, 'authorization');
    if (text === undefined) return 'missing';
    const given = decode(BASIC.exec(text ?? '')?.[1] ?? '', 'base64');
    return given === null ? 'malformed' : compareAll(matchers.made, given.toString());
  };
  return {
    isPresent: (head) => readHeader(head, 'authorization') !== undefined,
    checkHead: (head) => faultOf(check(head)),
    verify: ({ request }: Delivery) => check(request),
  };
}

type Equality = (given: string) => boolean;

function equalities(
  secrets: readonly SenderSecret[],
  least: number,
  form?: RegExp,
): { made: SecretCheck<Equality>[] } | { problems: Problem[] } {
  return compileAll<Equality>(secrets, (secret) => {
    if (form !== undefined && !form.test(secret)) return 'must be user:password';
    if (secret.length >= least) return compileEquality(secret);
    return `must have at least ${least} characters, since this sender shows it with every request`;
  });
}

/** All of them are asked, so that the time says nothing about which. */
function compareAll(
  matchers: readonly SecretCheck<Equality>[],
  given: string,
): Proven | SignatureFault {
  let right: Proven | undefined;
  for (const { check, sender } of matchers) {
    if (check(given)) right = { content: null, sender };
  }
  return right ?? 'mismatch';
}

function faultOf(found: Proven | SignatureFault): SignatureFault | null {
  return typeof found === 'string' ? found : null;
}

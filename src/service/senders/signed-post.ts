import { randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '../../hooks/index.ts';
import type { ResolvedHooksOptions, SignatureScheme } from '../../hooks/index.ts';
import { findRule } from './sender.ts';

export interface HookPost {
  /** What stands behind the prefix, as it goes on the wire. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON text, unless `headers` name another type. */
  readonly body: Buffer<ArrayBuffer>;
  /** True: it proves who sends, and needs no token. @default false */
  readonly isSigned?: boolean;
}

export interface Signing {
  readonly settings: ResolvedHooksOptions;
  /** The prefix of the hooks as a sender calls it, for those who sign their address: `https://example.com/hooks`. */
  readonly address: string;
  /** False: a secret that its sender shows as it is stays here. */
  readonly maySecretLeave: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * `only-sender`: nothing here can sign. `secret-leaves`: it shows its secret, which is not to leave. `unfit`: such a
 * body is never sent or signed.
 */
export type Unsigned = 'only-sender' | 'secret-leaves' | 'unfit';

export class CannotSign extends Error {
  override readonly name = 'CannotSign';

  constructor(
    readonly why: Unsigned,
    readonly sender: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Signed with the newest secret of the path. As it is where a token proves it, or where it has a signature already.
 * @throws CannotSign
 */
export function signPost(
  post: HookPost,
  { settings, address, maySecretLeave, now }: Signing,
): HookPost {
  const rule = findRule(post.name, settings);
  if (rule?.signer === undefined) return post;
  const { secrets, verifier } = rule.signer;
  const { scheme } = verifier;
  if (isSigned(scheme, post)) return { ...post, isSigned: true };
  if (!maySecretLeave && showsSecret(scheme)) {
    throw new CannotSign('secret-leaves', scheme.name, `${scheme.name} shows its secret itself`);
  }
  if (!canSign(scheme)) {
    if (rule.orToken) return post;
    throw new CannotSign('only-sender', scheme.name, `only ${scheme.name} itself can sign`);
  }
  const { name, headers, query, body } = post;
  const url = new URL(`${address}/${name}`);
  for (const [key, value] of Object.entries(query)) url.searchParams.append(key, value);
  const toSign = { secret: secrets[0]?.text ?? '', headers, body, url: url.href, now };
  const signed = readyRequest(scheme, toSign);
  const { 'content-type': type = signed.headers['content-type'] ?? '' } = headers;
  return {
    name,
    headers: { ...signed.headers, 'content-type': type },
    query: Object.fromEntries(new URL(signed.url ?? url).searchParams),
    body: Buffer.from(signed.body),
    isSigned: true,
  };
}

/** @throws CannotSign for a body that this sender never sends */
function readyRequest(
  scheme: SignatureScheme,
  toSign: Parameters<typeof signRequest>[1],
): ReturnType<typeof signRequest> {
  try {
    return signRequest(scheme, toSign);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CannotSign('unfit', scheme.name, message);
  }
}

export function canSign({ proofs: [proof] }: SignatureScheme): boolean {
  if (proof === undefined || proof.kind === 'certificate') return false;
  if (proof.kind === 'jwt') return proof.keys === undefined;
  return proof.kind !== 'signature' || !['ed25519', 'ecdsa-sha256'].includes(proof.algorithm);
}

export function showsSecret({ proofs: [proof] }: SignatureScheme): boolean {
  return proof?.kind === 'secret' || proof?.kind === 'basic';
}

/** The header in which that secret goes; null: in none. */
export function secretHeaderOf({ proofs: [proof] }: SignatureScheme): string | null {
  if (proof?.kind === 'basic') return 'authorization';
  return proof?.kind === 'secret' && 'header' in proof.at ? proof.at.header : null;
}

function isSigned({ proofs }: SignatureScheme, { headers }: HookPost): boolean {
  return proofs.some(
    (proof) => 'at' in proof && 'header' in proof.at && headers[proof.at.header] !== undefined,
  );
}

const MARKS = 64;

/**
 * Other bytes, since a text signed without a time takes effect once: a form gets a parameter, everything else white
 * space at its end.
 */
export function asNew(text: string, contentType = ''): string {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return `${text}&sample=${randomUUID()}`;
  }
  const marks = Array.from(randomBytes(MARKS), (byte) => (byte % 2 === 0 ? ' ' : '\t'));
  return `${text}\n${marks.join('')}`;
}

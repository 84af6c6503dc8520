import type { Problem, VerifyOptions } from '../options/index.ts';
import {
  HostVerifier,
  compileVerifier,
  listSecrets,
  signsBodyAlone,
} from './auth/signatures/index.ts';
import type {
  SenderSecret,
  SenderVerifier,
  SignatureScheme,
  SignatureVerifier,
  VerifierContext,
  WrittenSecrets,
} from './auth/signatures/index.ts';

export interface PathSigner {
  readonly verifier: SignatureVerifier;
  readonly secrets: readonly SenderSecret[];
  /** One verifier per secret, to find out which of them was used; made when somebody asks. */
  readonly single: () => readonly SignatureVerifier[];
  /** True: the digest of what was signed is that of the body. */
  readonly signsBodyAlone: boolean;
  /** How old a signature may be; absent: the scheme signs no time. */
  readonly toleranceSeconds?: number;
  /** What a GET challenge has to bring. */
  readonly verifyToken?: string;
}

/** Verifiers in code, by the name that `verify.scheme` says. */
export type SenderVerifiers = Readonly<Record<string, SenderVerifier>>;

interface SignerContext extends VerifierContext {
  readonly verifiers?: SenderVerifiers;
}

/** Undefined when there is a problem. */
export function compileSigner(
  written: VerifyOptions,
  { path, key }: { readonly path: string; readonly key: string },
  context: SignerContext,
  problems: Problem[],
): PathSigner | undefined {
  const { verifyToken, secrets = [], senders = [], ...options } = written;
  const { scheme, toleranceSeconds } = options;
  if (scheme === undefined) {
    const known = context.schemes?.get(path);
    const advice =
      known === undefined
        ? 'name one, e.g. hmac or standard-webhooks (docs/security.md)'
        : `is the sender ${known.name}? Then write scheme: '${path}', or enable the preset`;
    problems.push({ key: `${key}.scheme`, message: `is missing; ${advice}` });
    return undefined;
  }
  const { verifiers = {} } = context;
  const own = Object.hasOwn(verifiers, scheme) ? verifiers[scheme] : undefined;
  if (own !== undefined) {
    const idle = Object.entries(written).filter(
      ([name, value]) => name !== 'scheme' && value !== undefined,
    );
    const message = `has no meaning where the application verifies ${scheme} itself; remove it`;
    problems.push(...idle.map(([name]) => ({ key: `${key}.${name}`, message })));
    return {
      verifier: new HostVerifier(scheme, own),
      secrets: [],
      single: () => [],
      signsBodyAlone: false,
    };
  }
  if (secrets.length + senders.length === 0) {
    problems.push({
      key: `${key}.secrets`,
      message: 'is missing; list what the sender signs with',
    });
    return undefined;
  }
  const compileWith = (some: WrittenSecrets): ReturnType<typeof compileVerifier> =>
    compileVerifier({ ...options, secrets: [], ...some, scheme }, context);
  const verifier = compileWith({ secrets, senders });
  if ('problems' in verifier) {
    const place = (field: string): string =>
      field === 'publicUrl' ? 'hooks.publicUrl' : `${key}.${field}`;
    problems.push(...verifier.problems.map((problem) => ({ ...problem, key: place(problem.key) })));
    return undefined;
  }
  const all = listSecrets({ secrets, senders });
  return {
    verifier,
    secrets: all,
    signsBodyAlone: signsBodyAlone(verifier.scheme),
    single: () =>
      all.flatMap(({ text }) => {
        const one = compileWith({ secrets: [text] });
        return 'problems' in one ? [] : [one];
      }),
    ...(verifier.scheme.timestamp !== undefined && {
      toleranceSeconds: toleranceSeconds ?? verifier.scheme.timestamp.toleranceSeconds,
    }),
    ...(verifyToken !== undefined && { verifyToken }),
  };
}

/** Fewer characters are tried out by whoever has seen one signed request. */
const SHORTEST_SECRET = 16;

/** A short secret can be made longer; where its sender chooses a number, only the path can keep strangers out. */
export function guessable({ secrets, verifier }: PathSigner, path: string, key: string): Problem[] {
  const { scheme } = verifier;
  if (scheme.proofs.some((proof) => proof.kind === 'secret' && proof.isGuessable === true)) {
    if (path.length >= SHORTEST_SECRET) return [];
    const message = `has what anybody can guess, and ${scheme.name} shows nothing else; give the hook a match.path of at least ${SHORTEST_SECRET} characters that nobody can`;
    return [{ key: `${key}.secrets`, message }];
  }
  return shortSecrets(secrets).map((problem) => ({ ...problem, key: `${key}.${problem.key}` }));
}

export function shortSecrets(secrets: readonly SenderSecret[]): Problem[] {
  const message = `is shorter than ${SHORTEST_SECRET} characters, and can be guessed by whoever sees one signed request; use a longer random string at both ends`;
  return secrets.flatMap(({ text, key }) =>
    text.length >= SHORTEST_SECRET ? [] : [{ key, message }],
  );
}

export function signatureHeaders({ proofs }: SignatureScheme): string[] {
  return proofs.flatMap((proof) =>
    'at' in proof && 'header' in proof.at ? [proof.at.header] : [],
  );
}

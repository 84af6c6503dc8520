import type { Problem, SchemeOptions } from '../options/index.ts';
import { nearestKey } from '../options/index.ts';
import { checkScheme } from './check.ts';
import type { Proof, SchemeFile, SignatureScheme } from './scheme.ts';

/** By the first proof of what it resembles. @returns what is wrong with it instead, each problem with its key */
export function likeScheme(
  id: string,
  options: SchemeOptions,
  known: ReadonlyMap<string, SignatureScheme>,
): SignatureScheme | { readonly problems: readonly Problem[] } {
  const key = `hooks.schemes.${id}`;
  const model = known.get(options.like);
  const [proof] = model?.proofs ?? [];
  if (model === undefined || proof === undefined) {
    return { problems: [{ key: `${key}.like`, message: unlike(options.like, known) }] };
  }
  const refused = misfits(options, proof);
  if (refused.length > 0) {
    const message = `has no meaning for a scheme like ${options.like}; remove it`;
    return { problems: refused.map((name) => ({ key: `${key}.${name}`, message })) };
  }
  const { id: _, companions, ...shared } = model;
  const scheme: SchemeFile = {
    ...shared,
    name: options.name ?? id,
    proofs: [changed(proof, options)],
    confidence: 'secondary',
    ...withTime(model, options),
    ...(options.signs !== undefined && { signs: options.signs }),
    ...(options.idHeader !== undefined && {
      deliveryId: { headers: [options.idHeader.toLowerCase()] },
    }),
    ...(options.header === undefined && companions !== undefined && { companions }),
  };
  const problems = checkScheme(scheme, key);
  return problems.length > 0 ? { problems } : { ...scheme, id };
}

function unlike(written: string, known: ReadonlyMap<string, SignatureScheme>): string {
  const nearest = nearestKey(written, [...known.keys()]);
  const hint = nearest === undefined ? 'docs/security.md lists them' : `did you mean ${nearest}?`;
  return `is no scheme that signs; ${hint}`;
}

const OF_SIGNATURES = ['signed', 'hash', 'encoding', 'prefix', 'secretForm'] as const;

function misfits(options: SchemeOptions, proof: Proof): string[] {
  if (proof.kind === 'signature') {
    return options.hash !== undefined && !proof.algorithm.startsWith('hmac-') ? ['hash'] : [];
  }
  const names = ['secret', 'jwt'].includes(proof.kind)
    ? OF_SIGNATURES
    : (['header', ...OF_SIGNATURES] as const);
  return names.filter((name) => options[name] !== undefined);
}

function changed(proof: Proof, options: SchemeOptions): Proof {
  const { header, idHeader, signed, hash, encoding, prefix, secretForm } = options;
  const at = header === undefined ? {} : { at: { header: header.toLowerCase() } };
  if (proof.kind === 'secret' || proof.kind === 'jwt') return { ...proof, ...at };
  if (proof.kind !== 'signature') return proof;
  return {
    ...proof,
    ...at,
    ...(signed !== undefined && { signed }),
    ...(hash !== undefined && { algorithm: `hmac-${hash}` as const }),
    ...(encoding !== undefined && { encoding }),
    ...(prefix !== undefined && { prefix }),
    ...(secretForm !== undefined && { secretForm }),
    ...(idHeader !== undefined && { idHeader: idHeader.toLowerCase() }),
  };
}

function withTime(
  { timestamp }: SignatureScheme,
  { timestampHeader, toleranceSeconds }: SchemeOptions,
): Pick<SchemeFile, 'timestamp'> {
  if (timestampHeader === undefined && (timestamp === undefined || toleranceSeconds === undefined))
    return {};
  const standard = { at: { header: '' }, unit: 's' as const, toleranceSeconds: 300 };
  return {
    timestamp: {
      ...(timestamp ?? standard),
      ...(timestampHeader !== undefined && { at: { header: timestampHeader.toLowerCase() } }),
      ...(toleranceSeconds !== undefined && { toleranceSeconds }),
    },
  };
}

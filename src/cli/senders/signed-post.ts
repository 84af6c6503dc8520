import { signRequest } from '../../hooks/index.ts';
import type { ResolvedHooksOptions, SignatureScheme } from '../../hooks/index.ts';
import { findRule } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { HookPost, ServiceClient } from '../service/service-client.ts';

/** What a request is signed with. */
export interface Signing {
  readonly settings: ResolvedHooksOptions;
  readonly service: Pick<ServiceClient, 'url' | 'hooksPath' | 'isOwn'>;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * A request as its path wants it proved: signed with the newest secret that the configuration has for the path. As it is
 * where the hook token proves it, and where it has a signature already.
 * @throws CliError where nobody but the sender can sign, or the secret would leave the machine
 */
export function signPost(post: HookPost, { settings, service, now }: Signing): HookPost {
  const rule = findRule(post.name, settings);
  if (rule?.signer === undefined) return post;
  const { secrets, verifier } = rule.signer;
  const { scheme } = verifier;
  if (isSigned(scheme, post)) return { ...post, isSigned: true };
  if (!service.isOwn && isSentAlong(scheme)) {
    throw new CliError(
      'The secrets of this configuration are not sent to another machine.',
      'Send it on the machine of the service.',
      EXIT.usage,
    );
  }
  if (!canSign(scheme)) {
    if (rule.orToken) return post;
    throw new CliError(
      `Only ${scheme.name} itself can sign: what the configuration has can only check it.`,
      'Look at what would become of it: hooks preview, with the same hook and payload or sample',
    );
  }
  const { name, headers, query, body } = post;
  const base = (settings.hooks.publicUrl ?? service.url.href).replace(/\/+$/, '');
  const url = new URL(`${base}${service.hooksPath}/${name}`);
  for (const [key, value] of Object.entries(query)) url.searchParams.append(key, value);
  const signed = signRequest(scheme, { secret: secrets[0] ?? '', body, url: url.href, now });
  const { 'content-type': type = signed.headers['content-type'] ?? '' } = headers;
  return {
    name,
    headers: { ...headers, ...signed.headers, 'content-type': type },
    query: Object.fromEntries(new URL(signed.url ?? url).searchParams),
    body: Buffer.from(signed.body),
    isSigned: true,
  };
}

/** Whether the secret of a scheme is all that is needed to speak as its sender. */
export function canSign({ proofs: [proof] }: SignatureScheme): boolean {
  if (proof === undefined || proof.kind === 'certificate') return false;
  return proof.kind !== 'signature' || proof.algorithm.startsWith('hmac-');
}

/** Whether somebody has signed it before. */
function isSigned({ proofs }: SignatureScheme, { headers }: HookPost): boolean {
  return proofs.some(
    (proof) => 'at' in proof && 'header' in proof.at && headers[proof.at.header] !== undefined,
  );
}

/** Whether its secret itself goes on the wire. */
function isSentAlong({ proofs: [proof] }: SignatureScheme): boolean {
  return proof?.kind === 'secret' || proof?.kind === 'basic';
}

import { isCredentialField } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import type { ResolvedHooksOptions } from './resolve.ts';

/** A shorter text is part of too much. */
const SHORTEST = 8;

const known = new WeakMap<ResolvedHooksOptions, readonly string[]>();

/**
 * Our own tokens and secrets, whatever section of the settings they stand in: what a request brings of them is kept
 * nowhere and shown to nobody. Found by the names of their keys, so that a new key with a secret is not forgotten.
 */
export function ownSecrets(settings: ResolvedHooksOptions): readonly string[] {
  let secrets = known.get(settings);
  if (secrets === undefined) {
    const { hooks, gatewayAuthToken } = settings;
    secrets = [...new Set([...findSecrets(hooks, false), gatewayAuthToken ?? ''])].filter(
      (secret) => secret.length >= SHORTEST,
    );
    known.set(settings, secrets);
  }
  return secrets;
}

/** @param isSecret whether the key that it stands under names a credential */
function findSecrets(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => findSecrets(item, isSecret));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    findSecrets(child, isCredentialField(key)),
  );
}

/** Whether a text of a request is, or holds, one of them. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  if (secrets.some((secret) => text.includes(secret))) return true;
  // Base64 has pluses, which are blanks in a query; senders forget to encode them.
  return text.includes(' ') && holdsSecret(text.replaceAll(' ', '+'), secrets);
}

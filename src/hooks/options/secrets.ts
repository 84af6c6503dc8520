import { unescape } from 'node:querystring';
import { isCredentialField } from '../../platform/credentials.ts';
import { AgentsOptions } from './agents-options.ts';
import { HooksOptions } from './hooks-options.ts';
import { ModelsOptions } from './models-options.ts';
import { OptionPlace, textsIn } from './option.ts';
import type { ResolvedHooksOptions } from './resolve.ts';

// The secrets of a configuration: what its options call so, what stands under a name of a credential where nobody says
// (headers, conditions, keys that are not known), and the passwords in addresses.

export interface Secret {
  readonly place: OptionPlace;
  readonly text: string;
  /** Who says so: the option, the name that it stands under, or the address that it is the password of. */
  readonly by: 'option' | 'name' | 'address';
}

/** Keys that say where something is, e.g. `tokenUrl`. */
const PLACE_KEY = /[a-z](?:Path|Url|Header)$/;

/** Whether all of a text at this place is a secret. */
export function isSecretPlace({ traits, guessedBy }: OptionPlace): boolean {
  if (traits.secret === true) return true;
  return guessedBy !== undefined && isCredentialField(guessedBy) && !PLACE_KEY.test(guessedBy);
}

export function secretsIn(value: unknown, at: OptionPlace): Secret[] {
  return textsIn(value, at).flatMap(({ text, place }): Secret[] => {
    if (isSecretPlace(place)) {
      return [{ place, text, by: place.traits.secret === true ? 'option' : 'name' }];
    }
    const password = text.includes('://') ? (URL.parse(text)?.password ?? '') : '';
    return password === '' ? [] : [{ place, text: password, by: 'address' }];
  });
}

/** The same as texts; a password also as it is meant, and not only as an address writes it. */
export function secretTexts(value: unknown, at: OptionPlace): string[] {
  return secretsIn(value, at).flatMap(({ text, by }) =>
    by === 'address' ? [text, unescape(text)] : [text],
  );
}

/** A shorter text is part of too much. */
const SHORTEST = 8;

const known = new WeakMap<ResolvedHooksOptions, readonly string[]>();

/**
 * Our own tokens and secrets: what a request brings of them is kept nowhere and shown to nobody. Those of sections that
 * are none of the module's are in `otherSecrets`.
 */
export function ownSecrets(settings: ResolvedHooksOptions): readonly string[] {
  let secrets = known.get(settings);
  if (secrets === undefined) {
    const { hooks, agents, models, gatewayAuthToken = '', otherSecrets } = settings;
    const found = [
      ...secretTexts(hooks, OptionPlace.of(HooksOptions)),
      ...secretTexts(agents, OptionPlace.of(AgentsOptions)),
      ...secretTexts(models, OptionPlace.of(ModelsOptions)),
      gatewayAuthToken,
    ];
    const texts = new Set([...found, ...otherSecrets].map((text) => text.trim()));
    secrets = [...texts].filter((text) => text.length >= SHORTEST);
    known.set(settings, secrets);
  }
  return secrets;
}

/** Whether a text of a request is, or holds, one of them. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  if (secrets.some((secret) => text.includes(secret))) return true;
  // Base64 has pluses, which are blanks in a query; senders forget to encode them.
  return text.includes(' ') && holdsSecret(text.replaceAll(' ', '+'), secrets);
}

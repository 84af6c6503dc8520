import { AgentsOptions } from './agents-options.ts';
import { HooksOptions } from './hooks-options.ts';
import { ModelsOptions } from './models-options.ts';
import { OptionPlace } from './option.ts';
import type { ResolvedHooksOptions } from './resolve.ts';
import { secretTexts } from './secret-texts.ts';

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

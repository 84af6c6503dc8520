import { withoutLineEnds } from '../../../options/index.ts';
import type { Problem } from '../../../options/index.ts';

// Whichever secret fits says who speaks: those of `verify.secrets` are the path's own sender's.

export interface WrittenSecrets {
  /** Of the path's own sender. Any of them counts. */
  readonly secrets?: readonly string[] | undefined;
  readonly senders?: readonly { readonly id: string; readonly secrets: readonly string[] }[];
}

export interface SenderSecret {
  readonly text: string;
  /** Its place below `verify`, e.g. `senders[0].secrets[1]`. */
  readonly key: string;
  /** Id of one of `verify.senders`; absent: the path's own. */
  readonly sender?: string;
}

export function listSecrets({ secrets = [], senders = [] }: WrittenSecrets): SenderSecret[] {
  const named = senders.flatMap(({ id, secrets: own }, at) =>
    own.map((text, index) => ({ text, key: `senders[${at}].secrets[${index}]`, sender: id })),
  );
  const all = [...secrets.map((text, index) => ({ text, key: `secrets[${index}]` })), ...named];
  return all.map((secret) => ({ ...secret, text: withoutLineEnds(secret.text) }));
}

export function secretProblems(written: WrittenSecrets): Problem[] {
  const all = listSecrets(written);
  if (all.length === 0) return [{ key: 'secrets', message: 'must hold at least one secret' }];
  return [...doubleIds(written), ...all.flatMap((secret) => mistakeIn(secret, all))];
}

function mistakeIn({ text, key, sender }: SenderSecret, all: readonly SenderSecret[]): Problem[] {
  if (text.trim() === '') return [{ key, message: 'must not be blank' }];
  const first = all.find((other) => bare(other.text) === bare(text));
  if (first === undefined || first.sender === sender) return [];
  return [{ key, message: `is the same secret as verify.${first.key}; give each sender its own` }];
}

/** Standard Webhooks shows its secrets with this before them, and takes them without. */
function bare(text: string): string {
  return text.replace(/^whsec_/, '');
}

function doubleIds({ senders = [] }: WrittenSecrets): Problem[] {
  return senders.flatMap(({ id }, index) => {
    const first = senders.findIndex((other) => other.id === id);
    if (first === index) return [];
    const message = `is also the id of verify.senders[${first}]; list several secrets of one sender in its secrets`;
    return [{ key: `senders[${index}].id`, message }];
  });
}

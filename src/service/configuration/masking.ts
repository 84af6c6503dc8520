import { isSecretPlace } from '../../hooks/index.ts';
import type { OptionPlace, Problem } from '../../hooks/index.ts';
import { isCredential } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Inspection } from './inspect.ts';
import { MASK, isSecretAfter, maskArgument, maskText } from './secret-texts.ts';
import { interpolatedValues, isVariable, namesVariable } from './secrets.ts';
import { CONFIGURATION } from './sections.ts';

/*
 * A configuration in which no secret can be read. Texts are secrets because their option says so, by what stands beside
 * them or their look in the words of others, or because they came from a variable, and are then masked wherever else they
 * occur.
 */

/** A header's value that only places are filled into: `{agent}`. */
const PLACES = /^(?:\{\w+\})+$/;
/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 6;

/**
 * A configuration that can be shown: texts that hold a variable are as they were written, secrets are `***` wherever
 * they occur.
 * @param written the same before variables were replaced and defaults filled in
 * @param known further secrets: values of variables, and what stands in files of its own
 */
export function maskSecrets(
  configuration: Record<string, unknown>,
  written: unknown,
  known: readonly string[] = [],
): Record<string, unknown> {
  const masking = new Masking(known);
  return masking.withoutSecrets(masking.record(configuration, written, CONFIGURATION));
}

/** Texts about a configuration, without its secrets. Parameters as of {@link maskSecrets} */
export function maskTexts(
  texts: readonly string[],
  configuration: Record<string, unknown>,
  written: unknown,
  known: readonly string[],
): string[] {
  const masking = new Masking(known);
  masking.record(configuration, written, CONFIGURATION);
  return texts.map((text) => masking.withoutSecrets(masking.shown(text)));
}

/** Problems name keys and never values; this makes sure of it. */
export function maskProblems(problems: readonly Problem[], inspection: Inspection): Problem[] {
  if (problems.length === 0) return [];
  const { sections, written } = inspection;
  const texts = problems.flatMap(({ key, message }) => [key, message]);
  const shown = maskTexts(texts, sections, written, interpolatedValues(inspection));
  return problems.map((_, index) => {
    const [key = '', message = ''] = shown.slice(2 * index);
    return { key, message };
  });
}

class Masking {
  readonly #secrets = new Set<string>();

  constructor(known: readonly string[]) {
    for (const secret of known) this.#remember(secret);
  }

  record(
    value: Readonly<Record<string, unknown>>,
    written: unknown,
    place: OptionPlace,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const original = isRecord(written) ? written[key] : undefined;
        return [key, this.#value(inner, original, place.at(key))];
      }),
    );
  }

  /** A secret may stand in other texts, too. */
  withoutSecrets<T>(value: T): T;
  withoutSecrets(value: unknown): unknown {
    if (typeof value === 'string') return maskOccurrences(value, [...this.#secrets]);
    if (Array.isArray(value)) return value.map((item) => this.withoutSecrets(item));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, this.withoutSecrets(inner)]);
    return Object.fromEntries(entries);
  }

  /** A text as it may be shown where it stands; without a place it is about the configuration. */
  shown(text: string, foreign?: OptionPlace['traits']['foreign']): string {
    const found = (secret: string): void => this.#remember(secret);
    if (foreign === 'arguments') return maskArgument(text, found);
    return maskText(text, foreign === 'address', found);
  }

  #value(value: unknown, written: unknown, place: OptionPlace): unknown {
    // Also where the text of a variable became a number or a list.
    if (typeof written === 'string' && namesVariable(written)) {
      return this.#reference(value, written, place);
    }
    if (typeof value === 'string') return this.#text(value, place);
    if (Array.isArray(value)) return this.#list(value, written, place);
    return isRecord(value) ? this.record(value, written, place) : value;
  }

  #reference(value: unknown, written: string, place: OptionPlace): string {
    if (typeof value === 'string') this.#remember(value);
    // What stands beside a variable may be a part of a secret.
    if (isSecretText(written, place) && !isVariable(written)) return MASK;
    return this.shown(written, place.traits.foreign);
  }

  #text(value: string, place: OptionPlace): string {
    return isSecretText(value, place)
      ? this.#masked(value)
      : this.shown(value, place.traits.foreign);
  }

  #list(values: readonly unknown[], written: unknown, place: OptionPlace): unknown[] {
    const originals: readonly unknown[] = Array.isArray(written) ? written : [];
    return values.map((value, index) => {
      const [before, original] = [values[index - 1], originals[index]];
      const isAfterFlag =
        place.traits.foreign === 'arguments' &&
        typeof value === 'string' &&
        typeof before === 'string' &&
        isSecretAfter(before, value);
      const isReference = typeof original === 'string' && namesVariable(original);
      if (isAfterFlag && !(isReference && isVariable(original))) return this.#masked(value);
      return this.#value(value, original, place.at(index));
    });
  }

  #masked(value: string): string {
    this.#remember(value);
    for (const word of value.split(/\s+/)) this.#remember(word);
    return MASK;
  }

  #remember(secret: string): void {
    if (secret.length >= SHORTEST_SECRET) this.#secrets.add(secret);
  }
}

/** Whether all of a text is one: of headers whatever is written out. */
function isSecretText(text: string, place: OptionPlace): boolean {
  if (text === '') return false;
  if (isSecretPlace(place)) return true;
  const { foreign } = place.traits;
  if (foreign === 'conditions') return isCredentialPlace(place.guessedBy ?? '');
  return foreign === 'headers' && !PLACES.test(text);
}

/** By the last name of a place in a request: `headers.x-api-key`, `payload.client_secret`. */
function isCredentialPlace(place: string): boolean {
  return isCredential(/[^.[\]"']+(?=["'\]]*$)/.exec(place)?.[0]?.toLowerCase() ?? '');
}

/** Secrets may be parts of each other, or begin in one another: whatever belongs to any of them goes. */
function maskOccurrences(text: string, secrets: readonly string[]): string {
  const isSecret = new Uint8Array(text.length);
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      isSecret.fill(1, at, at + secret.length);
    }
  }
  let shown = '';
  for (let at = 0; at < text.length; at += 1) {
    if (isSecret[at] === 0) shown += text[at];
    else if (at === 0 || isSecret[at - 1] === 0) shown += MASK;
  }
  return shown;
}

import { isSecretPlace, secretsIn } from '../../hooks/index.ts';
import type { OptionPlace, Problem } from '../../hooks/index.ts';
import { isCredential } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Inspection } from './inspect.ts';
import { interpolatedValues, isVariable, namesVariable } from './secrets.ts';
import { CONFIGURATION } from './sections.ts';

/** Secrets are what options call `secret`; they, and what came from a variable, are masked in every other text, too. */

export const MASK = '***';
/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 6;

/**
 * Texts with a variable are as they were written; of an address the server is shown.
 * @param written before variables and defaults
 * @param known further secrets
 */
export function maskSecrets(
  configuration: Record<string, unknown>,
  written: unknown,
  known: readonly string[] = [],
): Record<string, unknown> {
  const secrets = secretsOf(configuration, known);
  const shown = (value: unknown, original: unknown, place: OptionPlace): unknown => {
    // Also where the text of a variable became a number or a list.
    if (typeof original === 'string' && namesVariable(original)) {
      // What stands beside a variable may be a part of a secret.
      return isMasked(place) && !isVariable(original) ? MASK : maskText(original, secrets);
    }
    if (typeof value === 'string') {
      return isMasked(place) ? maskAll(value, place, secrets) : maskText(value, secrets);
    }
    if (Array.isArray(value)) {
      const originals: readonly unknown[] = Array.isArray(original) ? original : [];
      return value.map((item, index) => shown(item, originals[index], place.at(index)));
    }
    return isRecord(value) ? record(value, original, place) : value;
  };
  const record = (
    value: Readonly<Record<string, unknown>>,
    original: unknown,
    place: OptionPlace,
  ): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        shown(inner, isRecord(original) ? original[key] : undefined, place.at(key)),
      ]),
    );
  return record(configuration, written, CONFIGURATION);
}

/** Problems name keys and never values; this makes sure of it. */
export function maskProblems(problems: readonly Problem[], inspection: Inspection): Problem[] {
  if (problems.length === 0) return [];
  const secrets = secretsOf(inspection.sections, interpolatedValues(inspection));
  return problems.map(({ key, message }) => ({
    key: maskText(key, secrets),
    message: maskText(message, secrets),
  }));
}

function secretsOf(configuration: object, known: readonly string[]): string[] {
  const found = secretsIn(configuration, CONFIGURATION).flatMap(({ text }) => [
    text,
    ...text.split(/\s+/),
  ]);
  return [...new Set([...known, ...found])].filter(({ length }) => length >= SHORTEST_SECRET);
}

function isMasked(place: OptionPlace): boolean {
  const { traits, guessedBy } = place;
  if (traits.secret !== undefined || isSecretPlace(place)) return true;
  // By the last name of a place in a request: `headers.x-api-key`, `payload.client_secret`.
  const [name = ''] = /[^.[\]"']+(?=["'\]]*$)/.exec(guessedBy ?? '') ?? [];
  return isCredential(name);
}

function maskAll(text: string, { traits }: OptionPlace, secrets: readonly string[]): string {
  const url =
    traits.secret === 'inside' && /^[a-z][a-z\d+.-]*:\/\//.test(text) ? URL.parse(text) : null;
  if (url !== null && url.host !== '')
    return maskText(`${url.protocol}//${url.host}/${MASK}`, secrets);
  return text === '' ? text : MASK;
}

/** Secrets may be parts of each other, or begin in one another: what belongs to any of them goes. */
function maskText(text: string, secrets: readonly string[]): string {
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

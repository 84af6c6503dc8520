import { unescape } from 'node:querystring';
import { isCredentialField } from '../../platform/credentials.ts';
import { textsIn } from './option.ts';
import type { OptionPlace, OptionTraits } from './option.ts';
import type { Problem } from './problem.ts';

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

// What files, shells and editors add to a secret. The sender knows nothing of it, so that each of its signatures would
// be wrong: what is certainly no part of the secret goes, and a start says what may be none.

/** Line ends and the mark of an encoding. */
export function withoutLineEnds(text: string): string {
  return text.replace(/^[\r\n\uFEFF]+/, '').replace(/[\r\n\uFEFF]+$/, '');
}

/** A text of the option with these traits as it is used; what is no secret is as it was. */
export function asUsed(text: string, { secret, mayHaveBlanks }: OptionTraits): string {
  if (secret !== true) return text;
  return mayHaveBlanks === true ? withoutLineEnds(text) : text.trim();
}

const QUOTE = '["\'`\u2018-\u201F«»]';

const DOUBTS: readonly (readonly [RegExp, string])[] = [
  [/^\s|\s$/, 'begins or ends with a blank, which counts; remove it unless the other side has it'],
  [
    new RegExp(`^${QUOTE}.*${QUOTE}$`, 's'),
    'stands in quotes, which count (docker --env-file keeps them); remove them',
  ],
  [/\\[nr]$/, 'ends with a backslash and a letter, where a line end may be meant; remove both'],
  [/^\$[A-Za-z_]\w*$|\$\{\w+\}/, 'names a variable that nothing replaces; write its value'],
  [
    /^(?:export\s+)?[A-Z_][A-Z\d_]*=[^=]/,
    'begins with the name of a variable; remove it and the =',
  ],
  [
    /(?! )\p{Z}|[\p{Cc}\p{Cf}\p{DI}]/u,
    'holds a character that nobody sees, such as a line end or a no-break space; write it anew',
  ],
];

/** Warnings of secrets that hold what was hardly meant; no value is in them. */
export function doubtfulSecrets(value: unknown, at: OptionPlace): Problem[] {
  return secretsIn(value, at).flatMap(({ place: { key, traits }, text, by }) => {
    if (by === 'address') return [];
    const used = asUsed(text, traits);
    const [, message] = DOUBTS.find(([sign]) => sign.test(used)) ?? [];
    return message === undefined ? [] : [{ key, message }];
  });
}

import { isCredential } from '../../platform/credentials.ts';

/*
 * What in a text of the configuration could be a secret, by where it stands in that text or by its look: in addresses,
 * after flags and names, in headers, and words that nobody could remember. Too much rather than too little: the result
 * is only looked at.
 */

/** What stands for a secret. */
export const MASK = '***';

/** Told what was masked because of what stands beside it, since it may stand elsewhere without that. */
export type Found = (secret: string) => void;

/** Names of credentials that {@link isCredential} leaves out, since senders' headers have other words. */
const SECRET_WORD = /(?:^|[-_.])(?:pat|pin|psk|bearer|dsn|seed|mnemonic|salt)(?:$|[-_.])/i;
/** Variables and references: what they stand for is not in the text. */
const PLACES = /\$\{\w+\}|\{\{[^{}]*\}\}|\{\w+\}/g;
/** `https://user:password@`, also with characters in it that an address may not have there. */
const USERS = /(?<=:\/\/)(?:[^/?#\s]*|[^\s/?#@:["'<>]*:(?!\d{1,5}(?:[/?#]|$))[^\s"'<>]*)(?=@)/g;
const QUERY_VALUE = /([?&#;])([^\s=&#?;"'<>]+)=([^\s&#"'<>]+)/g;
/** `NAME=value`, `--name=value`. */
const ASSIGNMENT = /(?<![\w?&#;.-])(-*)([A-Za-z][\w.-]*)=("[^"]*"|'[^']*'|[^\s"'&]+)/g;
/** `"name": "value"` */
const JSON_FIELD = /(["'])([\w.-]+)\1(\s*:\s*)(["'])((?:(?!\4).)+)\4/gs;
/** `Authorization: Bearer …` to the end of what is quoted, `X-Api-Key: …` */
const HEADER =
  /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)([^"'\r\n]+)|(?<![\w-])(x-[\w-]+)(\s*:\s*)([^\s"']+)/gi;
const BEARER = /(?<![\w-])((?:bearer|basic)\s+)(?=[\w.~+/=-]*\d)([\w.~+/=-]{8,})/gi;
/** As well-known services begin theirs. */
const BRANDED =
  /(?<![\w-])(?:(?:sk|pk|rk)[-_]|gsk_|xai-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|xapp-|whsec_|shp[a-z]{2}_|dop_v1_|npm_|hf_|nvapi-|sntrys_|lin_api_|ntn_|SG\.|AKIA|ASIA|AIza|ya29\.|eyJ)(?=[\w.=-]*[\dA-Z])[\w.=+/-]{10,}/g;
/** What is shorter may be a word with a number in it. */
const SHORTEST_DRAWN = 16;
const WORD = /[\w+/=.~-]{16,}/g;
/** An address, alone or as the value of a flag. */
const ADDRESS = /^\s*(?:--?[\w-]+=)?[a-z][a-z0-9+.-]*:\/\//i;

/** Flags behind which a secret comes that their names do not tell: a header, `user:password`. */
const FLAGS_BEFORE_SECRETS = /^(?:-H|-u|--?headers?|--?user)$/;
/** What `-p` is followed by where it does not mean a port, a path or a prompt. */
const CHOSEN = /^(?=.*\d)(?=.*[A-Za-z])[^\s/]{6,}$/;
const LONG_FLAG = /^--?[A-Za-z][\w.-]*$/;
/** A flag in a line for a shell, with what comes behind it. */
const FLAG_IN_LINE = /(?<!\S)(--?[A-Za-z][\w.-]*)(\s+)("[^"]*"|'[^']*'|[^\s"'-]\S*)/g;
/** `--name=value`, `NAME=value`, `-eNAME=value` */
const GIVEN = /^((?:-e)?(-{0,2}[A-Za-z][\w.-]*)=)(.+)$/s;
/** What environments have may be anything. */
const VARIABLE_NAME = /^[A-Z][A-Z\d_]*$/;
/** `-uname:password`, `-pPassw0rd` */
const ATTACHED = /^(-u(?=[^\s:]+:.)|-p(?=.*\d)(?=.*[A-Za-z])(?=[^\s/]{6,}$))(\S+)$/;
/** `user:password@host`, without a scheme before it. */
const USER_ALONE = /(?<![\w/:.@-])(?!mailto:)[\w.-]+:[^\s@/:]+(?=@[\w.([-])/g;
const HEADER_GIVEN = /^([A-Za-z][\w-]*)(:\s*)(\S.*)$/s;

/** Whether a value of this name is one: of flags, variables, query parameters and fields. */
function isSecretName(name: string): boolean {
  return isCredential(name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')) || SECRET_WORD.test(name);
}

/** Whether nothing of the text is written out: it is `${NAME}`, `{{ a.b }}`, or what was masked already. */
function isPlaces(text: string): boolean {
  return text.replaceAll(PLACES, '').replaceAll(MASK, '') === '';
}

/** A text as it may be shown, whatever it is for. @param isCapability an address in it opens what it leads to */
export function maskText(text: string, isCapability: boolean, found: Found): string {
  const isAlone = ADDRESS.test(text) && !/\s/.test(text.replaceAll(PLACES, '').trim());
  return isAlone ? maskAddress(text, isCapability, found) : maskParts(text, found);
}

/** Whether an argument is a secret, as far as the one before it tells. */
export function isSecretAfter(before: string, argument: string): boolean {
  if (isFlag(argument) || isPlaces(argument)) return false;
  if (FLAGS_BEFORE_SECRETS.test(before)) return true;
  if (before === '-p') return CHOSEN.test(argument);
  return LONG_FLAG.test(before) && isSecretName(before.replace(/^-+/, ''));
}

/** Whether an argument is the next flag, and no value. */
function isFlag(argument: string): boolean {
  return /^(?:-[A-Za-z]|--[a-z][\w-]*(?:=.*)?)$/s.test(argument);
}

/** An argument of a program, which may be a line for a shell. */
export function maskArgument(argument: string, found: Found): string {
  const [, header = '', colon = '', value = ''] = HEADER_GIVEN.exec(argument) ?? [];
  if (isSecretName(header) && !isPlaces(value)) {
    found(value);
    return `${header}${colon}${MASK}`;
  }
  const shown = argument
    .replace(GIVEN, (whole, start: string, name: string, given: string) => {
      if (isPlaces(given)) return whole;
      const isSecret = isSecretName(name.replace(/^-+/, ''));
      if (isSecret) found(given);
      return isSecret || VARIABLE_NAME.test(name) ? `${start}${MASK}` : whole;
    })
    .replace(ATTACHED, `$1${MASK}`)
    .replaceAll(USER_ALONE, MASK)
    .replaceAll(FLAG_IN_LINE, (whole, flag: string, blanks: string, given: string) => {
      if (!isSecretAfter(flag, given) || isPlaces(given)) return whole;
      found(given.replaceAll(/^["']|["']$/g, ''));
      return `${flag}${blanks}${MASK}`;
    });
  return maskText(shown, false, found);
}

/** Any text without what could be a secret in it: prompts and templates, too. */
function maskParts(text: string, found: Found): string {
  const mask = (value: string): string => {
    if (isPlaces(value)) return value;
    found(value);
    return MASK;
  };
  const quoted = (value: string): string =>
    /^["']/.test(value) ? `${value[0]}${mask(value.slice(1, -1))}${value[0]}` : mask(value);
  return text
    .replaceAll(USERS, (user) => {
      // A name alone is remembered only where it looks like a token: `postgres` occurs elsewhere.
      const password = user.includes(':') ? user.replace(/^[^:]*:/, '') : user;
      if (user.includes(':') || /\d/.test(user)) found(password);
      return user === '' ? user : MASK;
    })
    .replaceAll(QUERY_VALUE, (whole, sign: string, name: string, value: string) =>
      isSecretName(name) ? `${sign}${name}=${mask(value)}` : whole,
    )
    .replaceAll(ASSIGNMENT, (whole, dashes: string, name: string, value: string) =>
      isSecretName(name) ? `${dashes}${name}=${quoted(value)}` : whole,
    )
    .replaceAll(
      JSON_FIELD,
      (whole, quote: string, name: string, colon: string, q: string, v: string) =>
        isSecretName(name) ? `${quote}${name}${quote}${colon}${q}${mask(v)}${q}` : whole,
    )
    .replaceAll(HEADER, (_, ...parts: (string | undefined)[]) => {
      const [name = '', colon = '', value = ''] = parts[0] === undefined ? parts.slice(3) : parts;
      return `${name}${colon}${mask(value)}`;
    })
    .replaceAll(BEARER, (_, scheme: string, value: string) => `${scheme}${mask(value)}`)
    .replaceAll(BRANDED, mask)
    .replaceAll(WORD, maskWord);
}

/** An address alone: also without what its query says and parts of its path that nobody could guess. @param isCapability whoever knows it may use it */
function maskAddress(address: string, isCapability: boolean, found: Found): string {
  const [, origin = '', path = '', rest = ''] =
    /^([^/]*\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(address) ?? [];
  const shownPath = path.replaceAll(/[^/]+/g, (part) => {
    if (isPlaces(part) || !isUnguessable(part, isCapability)) return part;
    if (part.length >= SHORTEST_DRAWN) found(part);
    return MASK;
  });
  const shownRest = rest.replaceAll(
    /([?&#][^=&#]*=)([^&#]+)/g,
    (whole, name: string, value: string) => (isPlaces(value) ? whole : `${name}${MASK}`),
  );
  return maskParts(`${origin}${shownPath}${shownRest}`, found);
}

/** A word of an address's path. */
function isUnguessable(part: string, isCapability: boolean): boolean {
  const isMixed = /\d/.test(part) && /[a-z]/i.test(part);
  if (isMixed && (isCapability ? part.length >= 6 : /^[\w:%~-]{16,}$/.test(part))) return true;
  return isRandom(part) || /^[a-z]{24,}$/i.test(part);
}

/** A file's path is read part by part: a secret in base64 may have slashes, too. */
function maskWord(word: string): string {
  const isPath = /^(?:[.~]*\/|[a-z]:)/i.test(word) || !word.includes('/');
  if (!isPath && isRandom(word)) return MASK;
  return word.replaceAll(/[^/]+/g, (part) => (isRandom(part) ? MASK : part));
}

/**
 * Whether a word was rather drawn than written: letters, capitals and digits follow each other without a sign between
 * them. Names of models and versions do that, too, but less: `qwen3-235b-a22b`.
 */
function isRandom(word: string): boolean {
  if (word.length < SHORTEST_DRAWN) return false;
  const changes = word.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return changes >= 4 && changes / word.length > 0.2;
}

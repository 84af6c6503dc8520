import { IsIn, IsString, Matches } from 'class-validator';
import {
  Option,
  OptionalEnd,
  SENDER_ID,
  SENDER_ID_RULE,
  SHORTEST_GOOD_TOKEN,
  SHORTEST_TOKEN,
  endOf,
  isDigest,
  nearEnd,
  shortToken,
  tokenDigest,
  writtenTokens,
  wrongEnd,
} from '../../hooks/index.ts';
import type { HooksSettingsInput, Problem } from '../../hooks/index.ts';
import { getField, nameOf } from '../../platform/objects.ts';
import type { TokenFile } from './token-file.ts';

/** What a token may do, each all of the one before: look; act on what came; decide who may come in, and where replies go. */
export const ROLES = ['read', 'operate', 'configure'] as const;
export type Role = (typeof ROLES)[number];

/** `ops.tokens[]`: one person, or one program, with a token of its own to the operator API. */
export class OperatorTokenOptions {
  /** Names who it is in the audit. Up to 64 letters, digits, `.`, `_` and `-`; not `operator`, `metrics` or `files`. */
  @IsString()
  @Matches(SENDER_ID, { message: SENDER_ID_RULE })
  @Matches(/^(?!(?:operator|metrics|files)$)/i, {
    message: 'is a name that the audit has for something else; choose another',
  })
  id!: string;

  /**
   * `read`: look at everything but secrets. `operate`: also act on events, sessions and channels. `configure`:
   * also tokens, secrets, mappings, presets and where replies go, as with the token of `gateway.auth`.
   */
  @IsIn(ROLES)
  role!: Role;

  /** Its token, of at least 16 characters of ASCII, or the token's digest: `sha256:` and 64 hexadecimal digits. */
  @Option({ secret: true })
  @IsString()
  token!: string;

  /** Its last day (`2027-01-31`, to the end of that day in UTC) or moment (`2027-01-31T12:00:00Z`). Absent: no end. */
  @OptionalEnd()
  notAfter?: string;
}

export interface OperatorTokens {
  readonly operator: string;
  /** As much of it as their roles say. @default none */
  readonly others?: readonly Readonly<OperatorTokenOptions>[];
  /** Its metrics alone; undefined: there is no such token. */
  readonly metrics: string | undefined;
}

interface Gateway {
  readonly auth?: { readonly token?: unknown };
}
interface Ops {
  readonly metricsToken?: unknown;
  readonly tokens?: unknown;
}

const OPERATOR = 'gateway.auth.token';
const METRICS = 'ops.metricsToken';

const WHOLE_DIGEST = /^sha256:[0-9a-f]{64}$/i;

/** What headers carry as it is. */
const PRINTABLE = /^[ -~]*$/;

/** What makes a start refused: a token that can be guessed, that no header carries, or that opens more than it says. */
export function operatorTokenProblems(
  { auth }: Gateway,
  { metricsToken, tokens }: Ops,
  file: TokenFile,
  hooks: Pick<HooksSettingsInput, 'token' | 'tokens'>,
): Problem[] {
  const given = textOf(auth?.token);
  const operator = given ?? file.read();
  const metrics = textOf(metricsToken);
  const problems = [
    ...(given === undefined ? [] : mistakes(OPERATOR, given)),
    ...(given !== undefined || operator === undefined
      ? []
      : mistakes(OPERATOR, operator).map(({ key, message }) => ({
          key,
          message: `is kept in ${file.path}, whose token ${message}; remove that file for a new one`,
        }))),
    ...(metrics === undefined ? [] : mistakes(METRICS, metrics)),
  ];
  if (metrics !== undefined && (metrics === operator || isOfSender(metrics, hooks))) {
    const message =
      "must be neither the operator's token nor one of the hooks; set a dedicated one";
    problems.push({ key: METRICS, message });
  }
  const known = [
    [OPERATOR, operator],
    [METRICS, metrics],
    ...writtenTokens(hooks).map(({ key, text }) => [key, text] as const),
  ].flatMap(([key = '', text]): [string, string][] =>
    text === undefined || text === '' ? [] : [[tokenDigest(text).toString('hex'), key]],
  );
  return [...problems, ...namedTokenProblems(tokens, new Map(known))];
}

/** @param known places of tokens that open something else, by their digests */
function namedTokenProblems(tokens: unknown, known: Map<string, string>): Problem[] {
  if (!Array.isArray(tokens)) return [];
  const ids = new Map<string, string>();
  return tokens.flatMap((entry: unknown, index): Problem[] => {
    const place = `ops.tokens[${index}]`;
    const [id, token] = [getField(entry, 'id'), textOf(getField(entry, 'token'))];
    const found: Problem[] = [];
    const name = typeof id === 'string' ? id.toLowerCase() : place;
    const namesake = ids.get(name);
    if (namesake !== undefined) {
      const message = `is also the id of ${namesake}; give each its own`;
      found.push({ key: `${place}.id`, message });
    }
    ids.set(name, place);
    found.push(...wrongEnd(`${place}.notAfter`, getField(entry, 'notAfter')));
    if (token === undefined) return [...found, { key: `${place}.token`, message: 'is missing' }];
    const digest = tokenDigest(token).toString('hex');
    const other = known.get(digest);
    known.set(digest, `${place}.token`);
    if (other !== undefined) {
      found.push({ key: `${place}.token`, message: `is also ${other}; give each its own` });
    }
    if (!isDigest(token)) return [...found, ...mistakes(`${place}.token`, token)];
    if (WHOLE_DIGEST.test(token)) return found;
    const message = 'must be sha256: and 64 hexadecimal digits';
    return [...found, { key: `${place}.token`, message }];
  });
}

/** Tokens that are allowed but should be longer, and those that end soon. @param now epoch milliseconds */
export function operatorTokenWarnings(
  { auth }: Gateway,
  { metricsToken, tokens }: Ops,
  now: number,
): Problem[] {
  const message = `is shorter than ${SHORTEST_GOOD_TOKEN} characters; use a longer random string`;
  const named = (Array.isArray(tokens) ? tokens : []).map((entry: unknown, index) => ({
    key: `ops.tokens[${index}].token`,
    token: textOf(getField(entry, 'token')),
    id: nameOf(getField(entry, 'id')),
    end: nearEnd(endOf(getField(entry, 'notAfter')), now),
  }));
  const short = [
    { key: OPERATOR, token: textOf(auth?.token) },
    { key: METRICS, token: textOf(metricsToken) },
    ...named,
  ].filter(({ token }) => token !== undefined && token.length < SHORTEST_GOOD_TOKEN);
  const ending = named.flatMap(({ key, id, end }) => {
    if (end === undefined) return [];
    const how = `"hooks token new --operator ${id}" where a command made it, else in the file that names it`;
    return [{ key, message: `${end}; make a new one: ${how}` }];
  });
  return [...short.map(({ key }) => ({ key, message })), ...ending];
}

/** Whether it opens a hook, written out there or as its digest. */
function isOfSender(token: string, hooks: Parameters<typeof writtenTokens>[0]): boolean {
  const digest = tokenDigest(token);
  return writtenTokens(hooks).some(({ text }) => tokenDigest(text).equals(digest));
}

function mistakes(key: string, token: string): Problem[] {
  if (!PRINTABLE.test(token)) {
    return [
      { key, message: 'holds characters outside of ASCII, which no header carries; use others' },
    ];
  }
  return token.length < SHORTEST_TOKEN ? [{ key, message: shortToken(token) }] : [];
}

/** Undefined for a blank one and for what is no text: their own rules tell. */
function textOf(token: unknown): string | undefined {
  const text = typeof token === 'string' ? token.trim() : '';
  return text === '' ? undefined : text;
}

import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ArrayMinSize, IsOptional, IsString, Matches } from 'class-validator';
import { getField, isRecord, nameOf } from '../../platform/objects.ts';
import { OptionalEnd, TextList } from './key-kinds.ts';
import { Option } from './option.ts';
import { GATEWAY_NAMES, unreplaced } from './option-names.ts';
import type { OptionNames } from './option-names.ts';
import type { NamingProblem, Problem } from './problem.ts';

// The tokens of senders, as they are written, and which of them a start refuses. A token is written out, or as its digest,
// so that nobody who reads the configuration can speak as the sender; how requests are compared with them is in
// http/auth/hook-tokens.ts.

/** Fewest characters of a token: what is shorter can be guessed (behaviour.md §3). */
export const SHORTEST_TOKEN = 16;

/** From this length on nobody has to wait for a comparison, and no start warns. */
export const SHORTEST_GOOD_TOKEN = 24;

/** In {@link TokenOptions.hooks}: every hook. */
export const EVERY_HOOK = '*';

/** How long before its end a token is warned of, in milliseconds: 14 days. */
const NEAR_END_MS = 14 * 86_400_000;

/** What a sender may be called, beside `token` or the scheme that verified it. */
export const SENDER_ID = /^[a-z0-9][\w.-]{0,63}$/i;
export const SENDER_ID_RULE =
  'must be 1 to 64 letters, digits, ".", "_" or "-", and begin with a letter or digit';

/** `hooks.tokens[]`: one sender with secrets of its own, which open the hooks that it names and no other. */
export class TokenOptions {
  /** Names the sender in stories, prompts and logs, where the secret never stands. Up to 64 letters, digits, `.`, `_` and `-`. */
  @IsString()
  @Matches(SENDER_ID, { message: SENDER_ID_RULE })
  id!: string;

  /** Its secret, of at least 16 characters, or the secret's digest: `sha256:` and 64 hexadecimal digits. */
  @Option({ secret: true })
  @IsOptional()
  @IsString()
  token?: string;

  /** The same for several secrets, the oldest first: each of them counts, so that one can be replaced without losing a request. */
  @Option({ secret: true })
  @IsOptional()
  @TextList()
  tokens?: string[];

  /** The hooks that it may speak to: `wake`, `agent`, paths of mappings as `match.path` has them; `*`: all. */
  @TextList()
  @ArrayMinSize(1, { message: 'must name at least one hook, such as github; * is all' })
  @Matches(/^(?:\*|[^/\s](?:\S*[^/\s])?)$/, {
    each: true,
    message: 'must hold paths below the prefix without outer slashes, such as github, or *',
  })
  hooks!: string[];

  /** Its last day (`2027-01-31`, to the end of that day in UTC) or moment (`2027-01-31T12:00:00Z`). Absent: no end. */
  @OptionalEnd()
  notAfter?: string;
}

export interface WrittenToken {
  /** Place of the text, e.g. `hooks.tokens[0].tokens[1]`. */
  readonly key: string;
  /** The sender's id; null for `hooks.token`, which is nobody's in particular. */
  readonly id: string | null;
  /** Trimmed: the secret, or `sha256:<hex>`. Blank ones are here, too, for the checks to refuse. */
  readonly text: string;
  readonly hooks: readonly string[];
  /** Epoch milliseconds after which it is refused; Infinity: never. */
  readonly endsAt: number;
}

/** The keys of `hooks` that hold secrets, in whatever shape they were written. */
interface WrittenKeys {
  readonly token?: unknown;
  readonly tokens?: unknown;
}

/** The same with what decides whether any secret is needed. */
interface GuardedKeys extends WrittenKeys {
  readonly enabled?: unknown;
  readonly mappings?: unknown;
}

/** Every secret: `hooks.token`, then those of `hooks.tokens` in their order. What has another shape is left out. */
export function writtenTokens({ token, tokens }: WrittenKeys): WrittenToken[] {
  const own = senders({ tokens }).flatMap(([sender, index]) => {
    const { id, hooks, notAfter } = sender;
    const place = `hooks.tokens[${index}]`;
    const about = { id: nameOf(id), hooks: texts(hooks), endsAt: endOf(notAfter) };
    return [
      ...texts([sender['token']]).map((text) => ({ ...about, key: `${place}.token`, text })),
      ...texts(sender['tokens']).map((text, at) => ({
        ...about,
        key: `${place}.tokens[${at}]`,
        text,
      })),
    ];
  });
  const shared = { key: 'hooks.token', id: null, hooks: [EVERY_HOOK], endsAt: Infinity };
  const all = [...texts([token]).map((text) => ({ ...shared, text })), ...own];
  return all.map((written) => ({ ...written, text: written.text.trim() }));
}

/** The entries of `hooks.tokens` with their places; what has no such shape is reported by its own rules. */
function senders({ tokens }: WrittenKeys): [Readonly<Record<string, unknown>>, number][] {
  if (!Array.isArray(tokens)) return [];
  return tokens.flatMap((sender: unknown, index): [Readonly<Record<string, unknown>>, number][] =>
    isRecord(sender) ? [[sender, index]] : [],
  );
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** When `notAfter` ends, in epoch milliseconds: a day at its end, without one never, what is no date long ago. */
export function endOf(notAfter: unknown): number {
  if (typeof notAfter !== 'string') return Infinity;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(notAfter);
  const time = Date.parse(isDay ? `${notAfter}T23:59:59.999Z` : notAfter);
  return Number.isNaN(time) ? -Infinity : time;
}

/** The digest that a secret is known by: of the secret that is written out, or the one that is written itself. */
export function tokenDigest(text: string): Buffer {
  const [, hex] = DIGEST.exec(text) ?? [];
  return hex === undefined ? hash('sha256', text, 'buffer') : Buffer.from(hex, 'hex');
}

export function writtenDigest(token: string): string {
  return `${DIGEST_PREFIX}${hash('sha256', token)}`;
}

/** True: only the sender knows the secret itself. */
export function isDigest(text: string): boolean {
  return text.startsWith(DIGEST_PREFIX);
}

/** A secret that is written out and may speak to a hook now, for clients of our own; undefined: there is none. */
export function tokenFor(hooks: WrittenKeys, hook: string, now = Date.now()): string | undefined {
  return writtenTokens(hooks).find(
    ({ text, hooks: named, endsAt }) =>
      text !== '' &&
      !isDigest(text) &&
      endsAt > now &&
      (named.includes(EVERY_HOOK) || named.includes(hook)),
  )?.text;
}

/** What makes a start refused: a hook served under a secret that is missing, blank, unresolved, shared or easily guessed. */
export function tokenProblems(
  hooks: GuardedKeys,
  gatewayAuthToken: string | undefined,
  { replacesVariables }: OptionNames,
): NamingProblem[] {
  const written = writtenTokens(hooks);
  const places = new Map<string, string>();
  const found = written.flatMap(({ key, id, text }): NamingProblem[] => {
    const [variable, name = ''] = UNRESOLVED_VARIABLE.exec(text) ?? [];
    if (variable !== undefined) {
      const message = replacesVariables
        ? 'names a variable that is not set; set it in the environment or in .env'
        : unreplaced(name || 'HOOK_TOKEN');
      return [{ key, message }];
    }
    const mistake = mistakeIn(text, hooks.enabled === true);
    if (mistake !== undefined) return id === null && text === '' ? [] : [{ key, message: mistake }];
    const digest = tokenDigest(text).toString('hex');
    if (gatewayAuthToken !== undefined && digest === hash('sha256', gatewayAuthToken)) {
      return [{ key, message: "must not be the gateway's own token; set a dedicated one" }];
    }
    const other = places.get(digest);
    places.set(digest, key);
    if (other === undefined) return [];
    const message = `is the same secret as ${other}; give each sender its own`;
    return [{ key, message, names: [other] }];
  });
  return [
    ...missing(hooks, written),
    ...found,
    ...doubleIds(hooks),
    ...withoutSecret(hooks),
    ...wrongDates(hooks),
  ];
}

/** What is allowed but should be looked at: secrets that are short or known, or that end soon. @param now epoch milliseconds */
export function tokenWarnings(
  hooks: WrittenKeys,
  now: number,
  { hasCommand }: OptionNames = GATEWAY_NAMES,
): Problem[] {
  return writtenTokens(hooks).flatMap(({ key, id, text, endsAt }): Problem[] => {
    if (PLACEHOLDER_TOKEN.test(text)) {
      const message =
        'looks like the placeholder of an example, which everybody knows; use a random string';
      return [{ key, message }];
    }
    if (!isDigest(text) && text.length < SHORTEST_GOOD_TOKEN) {
      const message = `is shorter than ${SHORTEST_GOOD_TOKEN} characters; use a longer random string`;
      return [{ key, message }];
    }
    const end = nearEnd(endsAt, now);
    if (end === undefined) return [];
    const how = hasCommand
      ? `: "hooks token new --for ${id}" where a command made it, else in the file that names it`
      : '';
    return [{ key, message: `${end}; give its sender a new one${how}` }];
  });
}

/** When a token ends, or has ended, where that is to be said; undefined: there is time, or it is no date. */
export function nearEnd(endsAt: number, now: number): string | undefined {
  if (endsAt === -Infinity || endsAt > now + NEAR_END_MS) return undefined;
  return `${endsAt > now ? 'ends' : 'ended'} at ${new Date(endsAt).toISOString()}`;
}

const DIGEST_PREFIX = 'sha256:';
const DIGEST = /^sha256:([0-9a-f]{64})$/i;
const PLACEHOLDER_TOKEN = /replace|change.?me|example|your.?token/i;
const UNRESOLVED_VARIABLE = /\$\{([^}]*)\}/;

/** What is wrong with one secret by itself; while the ingress is off, a short one opens nothing. */
function mistakeIn(text: string, isEnabled: boolean): string | undefined {
  if (text === '') return 'must not be blank; set a long random string or remove it';
  if (isDigest(text)) {
    return DIGEST.test(text) ? undefined : 'must be sha256: and 64 hexadecimal digits';
  }
  if (!isEnabled || text.length >= SHORTEST_TOKEN) return undefined;
  return shortToken(text);
}

/** What to say about a token that can be guessed: ours as well as the operator's. */
export function shortToken(text: string): string {
  return `has only ${text.length} characters; use a random string of at least ${SHORTEST_TOKEN}`;
}

/** A mapping that verifies signatures needs no token. */
function missing(hooks: GuardedKeys, written: readonly WrittenToken[]): Problem[] {
  const { token, tokens, mappings } = hooks;
  if (token !== undefined && typeof token !== 'string') return [];
  const isBlank = token !== undefined && token.trim() === '';
  const isVerified =
    (Array.isArray(tokens) && tokens.length > 0) ||
    (Array.isArray(mappings) &&
      mappings.some((mapping) => getField(mapping, 'verify') !== undefined));
  if (hooks.enabled !== true || (isVerified && !isBlank)) return [];
  if (written.some(({ text }) => text !== '') && !isBlank) return [];
  const message = 'is required when hooks.enabled is true; set a long random string';
  return [{ key: 'hooks.token', message: `${message}, or name senders in hooks.tokens` }];
}

function doubleIds(hooks: WrittenKeys): NamingProblem[] {
  const all = senders(hooks);
  return all.flatMap(([{ id }, index]) => {
    const [, first = index] = all.find(([other]) => other['id'] === id) ?? [];
    if (id === undefined || first === index) return [];
    const other = `hooks.tokens[${first}]`;
    const message = `is also the id of ${other}; give each sender its own, and several secrets in tokens`;
    return [{ key: `hooks.tokens[${index}].id`, message, names: [other] }];
  });
}

function withoutSecret(hooks: WrittenKeys): Problem[] {
  return senders(hooks).flatMap(([{ token, tokens }, index]) =>
    token === undefined && (tokens === undefined || isDeepStrictEqual(tokens, []))
      ? [
          {
            key: `hooks.tokens[${index}].token`,
            message: 'is missing; set it, or several in tokens',
          },
        ]
      : [],
  );
}

/** The 45th of a month has the form of a date, too. */
function wrongDates(hooks: WrittenKeys): Problem[] {
  return senders(hooks).flatMap(([{ notAfter }, index]) =>
    wrongEnd(`hooks.tokens[${index}].notAfter`, notAfter),
  );
}

export function wrongEnd(key: string, notAfter: unknown): Problem[] {
  return endOf(notAfter) === -Infinity ? [{ key, message: 'is no date; correct it' }] : [];
}
